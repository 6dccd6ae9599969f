import { writeFileSync } from 'node:fs';
import * as client from '@kubernetes/client-node/dist/gen/models/all.js';
import { modelNames } from '#shared/adapters/kubernetes/kind-models.ts';
import { BUILT_IN_KINDS } from '#shared/core/schema/built-in-kinds.ts';

/** The file of the generated models. */
export const KIND_MODELS = new URL(
  '../shared/adapters/kubernetes/kind-models.json',
  import.meta.url,
);

interface Attribute {
  /** The name in JSON. */
  readonly baseName: string;
  readonly type: string;
}

/** A name of a model in a type: `V1Container` in `Array<V1Container>`. */
const MODEL = /\b[A-Z]\w*/g;
// Every generated class has its fields in this static property. Other exports of the module do not have it.
const CLASSES = new Map(
  Object.entries(client as Readonly<Record<string, { attributeTypeMap?: readonly Attribute[] }>>),
);

/** The models of the built-in kinds themselves. */
function roots(): readonly string[] {
  return BUILT_IN_KINDS.flatMap(([groupVersion, kinds]) => {
    const [group = '', version = ''] = groupVersion.split('/');
    return kinds.map((kind) => {
      const names = modelNames({ group, version, resource: '' }, kind);
      const name = names.find((one) => CLASSES.has(one));
      if (name === undefined) throw new Error(`The client has no model ${names.join(' or ')}`);
      return name;
    });
  });
}

/**
 * The text of the file that `loadKindModels` reads: from the installed `@kubernetes/client-node`, every model that a
 * built-in kind refers to, sorted by name, each on one line so that an update of the client can be reviewed.
 *
 * @throws {Error} if the client has no model of a built-in kind
 */
export function kindModelsText(): string {
  const lines = new Map<string, string>();
  const found = new Set(roots());
  // Iterating over a set includes the elements that are added meanwhile.
  for (const name of found) {
    // A model without fields is left out.
    const attributes = CLASSES.get(name)?.attributeTypeMap ?? [];
    if (attributes.length === 0) continue;
    const fields = attributes.map(({ baseName, type }) => [baseName, type] as const);
    lines.set(name, `${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries(fields))}`);
    for (const [, type] of fields) for (const [model] of type.matchAll(MODEL)) found.add(model);
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  return `{\n${sorted.join(',\n')}\n}\n`;
}

if (import.meta.main) writeFileSync(KIND_MODELS, kindModelsText());
