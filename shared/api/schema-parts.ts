import type { JsonObject } from '#shared/core/json.ts';

/** A field with text. */
export function text(description: string): JsonObject {
  return { type: 'string', description };
}

/** A field with a time. */
export function time(description: string): JsonObject {
  return { type: 'string', format: 'date-time', description };
}

/** A field with a whole number. */
export function integer(description: string): JsonObject {
  return { type: 'integer', format: 'int64', description };
}

/** A field with named fields. */
export function object(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', description, properties };
}

/** The workload object that something is about. */
export const WORKLOAD: JsonObject = object('The workload object in the WDS.', {
  group: text('API group. Empty for the core group.'),
  resource: text('Resource, in the plural.'),
  kind: text('Kind. Empty if it is not known.'),
  namespace: text('Namespace. Empty for an object without a namespace.'),
  name: text('Name.'),
});

/** What is known of a WEC's report. */
export const STATE: JsonObject = text(
  'Silent, TooLarge, Missing, NotReported or Reported: the first of them that applies.',
);

/** Argo CD's verdict. */
export const VERDICT: JsonObject = object(
  "Argo CD's verdict. Absent if Argo CD has no rule for the kind.",
  {
    status: text('Healthy, Suspended, Progressing, Missing, Degraded or Unknown.'),
    message: text('Why.'),
  },
);
