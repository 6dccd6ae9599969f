import * as z from 'zod/mini';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { parseTimestamp } from '#shared/core/expression/time.ts';
import { FLEET_FAULTS } from './fleet-messages.ts';
import type { GivenObject } from './given-objects.ts';
import { aboutObject } from './messages.ts';

const optional = <T extends z.ZodMiniType>(type: T) => z.optional(z.nullable(type));

const text = optional(z.string(FLEET_FAULTS.string));
const flag = optional(z.boolean(FLEET_FAULTS.flag));
const integer = optional(z.int(FLEET_FAULTS.integer));
const texts = z.record(z.string(), z.string(FLEET_FAULTS.string), FLEET_FAULTS.strings);
const labels = optional(texts);
const counts = optional(z.record(z.string(), integer, FLEET_FAULTS.integers));
const objects = optional(z.array(z.looseObject({}, FLEET_FAULTS.object), FLEET_FAULTS.objects));
/** The ignored conditions. A condition is ignored if it has all texts of an entry. */
const ignored = optional(z.array(texts, FLEET_FAULTS.objects));
const conditions = optional(
  z.array(
    z.looseObject(
      {
        type: z.string(FLEET_FAULTS.string),
        status: z.string(FLEET_FAULTS.conditionStatus),
      },
      FLEET_FAULTS.object,
    ),
    FLEET_FAULTS.objects,
  ),
);
const time = optional(
  z
    .string(FLEET_FAULTS.time)
    .check(
      z.refine(
        (value) => value === '' || typeof parseTimestamp(value) !== 'string',
        FLEET_FAULTS.time,
      ),
    ),
);

const map = (fields: Readonly<Record<string, z.ZodMiniType>>) =>
  optional(z.looseObject(fields, FLEET_FAULTS.object));

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
export function checkFleetObject(given: GivenObject): void {
  const { kind, object } = given;
  const [fault] = (OF_KIND.get(kind) ?? COMMON).safeParse(object).error?.issues ?? [];
  if (fault === undefined) return;
  throw new InputError(aboutObject(given, `${z.core.toDotPath(fault.path)} ${fault.message}`));
}
