import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';

/**
 * By the name of a model of `@kubernetes/client-node`, its fields: the name in JSON, and the type as the client writes it:
 * `string`, `V1PodSpec`, `Array<V1Container>`, `{ [key: string]: string; }`.
 */
export type KindModels = Readonly<Record<string, Readonly<Record<string, string>>>>;

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/**
 * The names that the client may give the model of a kind, in the order to try them: models whose name would be taken twice
 * begin with the group, `EventsV1Event`.
 */
export function modelNames({ group, version }: ApiResource, kind: string): readonly string[] {
  const name = capitalized(version) + kind;
  const [first = ''] = group.split('.');
  return [`${capitalized(first === '' ? 'core' : first)}${name}`, name];
}

/**
 * All models that the built-in kinds consist of, read when they are first asked for. `infra/generate-kind-models.ts` takes
 * them from the client, which is too large for every function that checks an expression.
 */
export async function loadKindModels(): Promise<KindModels> {
  const file = await import('./kind-models.json', { with: { type: 'json' } });
  return file.default;
}
