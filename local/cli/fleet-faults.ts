import * as z from 'zod/mini';
import { parseTimestamp } from '#shared/core/expression/time.ts';
import { InputError } from './cli-error.ts';
import type { GivenObject } from './given-objects.ts';

const optional = <T extends z.ZodMiniType>(type: T) => z.optional(z.nullable(type));

const text = optional(z.string('must be a text: write it in quotes'));
const flag = optional(z.boolean('must be true or false'));
const integer = optional(z.int('must be an integer'));
const texts = z.record(
  z.string(),
  z.string('must be a text: write it in quotes'),
  'must be an object of texts',
);
const labels = optional(texts);
const counts = optional(z.record(z.string(), integer, 'must be an object of integers'));
const objects = optional(
  z.array(z.looseObject({}, 'must be an object'), 'must be a list of objects'),
);
/** The ignored conditions. A condition is ignored if it has all texts of an entry. */
const ignored = optional(z.array(texts, 'must be a list of objects'));
const conditions = optional(
  z.array(
    z.looseObject(
      {
        type: z.string('must be a text'),
        status: z.string('must be a text: "True" stands in quotes'),
      },
      'must be an object',
    ),
    'must be a list of objects',
  ),
);
const time = optional(
  z
    .string('must be a time of RFC 3339, such as 2026-11-21T12:00:00Z')
    .check(
      z.refine(
        (value) => value === '' || typeof parseTimestamp(value) !== 'string',
        'must be a time of RFC 3339, such as 2026-11-21T12:00:00Z',
      ),
    ),
);

const map = (fields: Readonly<Record<string, z.ZodMiniType>>) =>
  optional(z.looseObject(fields, 'must be an object'));

interface Fields {
  readonly spec?: Readonly<Record<string, z.ZodMiniType>>;
  readonly status?: Readonly<Record<string, z.ZodMiniType>>;
}

/** An object of Fleet with the fields that determine statuses (Fleet, `pkg/apis`). */
function objectWith({ spec = {}, status = {} }: Fields) {
  return z.looseObject({
    metadata: z.looseObject({ generation: integer, labels, uid: text }),
    spec: map(spec),
    status: map({ conditions, ...status }),
  });
}

const COMMON = objectWith({});
const OF_KIND: ReadonlyMap<string, typeof COMMON> = new Map([
  [
    'BundleDeployment',
    objectWith({
      spec: {
        deploymentID: text,
        stagedDeploymentID: text,
        paused: flag,
        offSchedule: flag,
        waitingForValues: flag,
        options: map({ ignore: map({ conditions: ignored }) }),
      },
      status: {
        appliedDeploymentID: text,
        ready: flag,
        nonModified: flag,
        incompleteState: flag,
        resources: objects,
        nonReadyStatus: objects,
        modifiedStatus: objects,
        resourceCounts: counts,
      },
    }),
  ],
  ['Cluster', objectWith({ status: { namespace: text, agent: map({ lastSeen: time }) } })],
  ['GitRepo', objectWith({ spec: { repo: text }, status: { gitJobStatus: text } })],
]);

/**
 * Checks the fields of one of Fleet's objects that determine statuses. An API server would reject wrong types, but a
 * file may contain a number instead of a text.
 *
 * @throws InputError that names file, document, object, field and what to write
 */
export function checkFleetObject({ place, title, kind, object }: GivenObject): void {
  const [fault] = (OF_KIND.get(kind) ?? COMMON).safeParse(object).error?.issues ?? [];
  if (fault === undefined) return;
  throw new InputError(`${place}, ${title}: ${z.core.toDotPath(fault.path)} ${fault.message}`);
}
