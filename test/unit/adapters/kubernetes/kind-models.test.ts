import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KIND_MODELS, kindModelsText } from '#infra/generate-kind-models.ts';
import { loadKindModels } from '#shared/adapters/kubernetes/kind-models.ts';

it('are those of the installed client', () => {
  const isCurrent = readFileSync(KIND_MODELS, 'utf8') === kindModelsText();
  const message = `${KIND_MODELS.pathname} is of another @kubernetes/client-node: run npm run kind-models`;
  expect(isCurrent, message).toBe(true);
});

it('lead to models that are there, or have no fields', async () => {
  const models = await loadKindModels();
  const types = Object.values(models).flatMap((fields) => Object.values(fields));
  const named = new Set(types.flatMap((type) => type.match(/\b[A-Z]\w*/g) ?? []));
  const missing = [...named].filter((name) => models[name] === undefined);
  expect(missing.sort()).toEqual(['Array', 'Date', 'IntOrString', 'V1MicroTime']);
});
