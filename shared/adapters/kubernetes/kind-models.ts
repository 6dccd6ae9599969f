import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';

/**
 * The fields of the models of `@kubernetes/client-node`, by the model's name: the name in JSON, and the type as the client
 * writes it: `string`, `V1PodSpec`, `Array<V1Container>`, `{ [key: string]: string; }`.
 */
export type KindModels = Readonly<Record<string, Readonly<Record<string, string>>>>;

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/**
 * The possible names of a kind's model in the client, in the order to try them. If two models would have the same name, the
 * name begins with the group: `EventsV1Event`.
 */
export function modelNames({ group, version }: ApiResource, kind: string): readonly string[] {
  const name = capitalized(version) + kind;
  const [first = ''] = group.split('.');
  return [`${capitalized(first === '' ? 'core' : first)}${name}`, name];
}

/**
 * Loads all models of the built-in kinds at their first use. `infra/generate-kind-models.ts` generates them from the client,
 * which is too large for each function that checks an expression.
 */
export async function loadKindModels(): Promise<KindModels> {
  const file = await import('./kind-models.json', { with: { type: 'json' } });
  return file.default;
}
