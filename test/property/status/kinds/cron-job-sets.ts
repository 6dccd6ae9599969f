import fc from 'fast-check';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSet, KindSets, Verdicts } from '#test/property/status/kind-sets.ts';
import { ENDING } from './served-specs.ts';

const time = fc.integer({ min: 0, max: 3 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);
const active = fc.integer({ min: 1, max: 2 }).map((jobs) =>
  Array.from(
    { length: jobs },
    (_none, index): JsonObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: 'shop',
      name: `web-${index}`,
      uid: `uid-${index}`,
    }),
  ),
);

const statuses: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({}),
  fc.record({ lastScheduleTime: time, active }),
  fc.record({ lastScheduleTime: time }),
  { weight: 3, arbitrary: fc.record({ lastScheduleTime: time, lastSuccessfulTime: time }) },
  fc.record({ lastScheduleTime: time, lastSuccessfulTime: time, active }),
);

function unavoidable(
  { workload, wecs }: KindSet,
  { found, expected }: Verdicts,
): string | undefined {
  if (found !== 'Healthy') return undefined;
  if (at(workload, 'spec', 'suspend') === true)
    return 'the object in the WDS is suspended: Healthy, whatever its status says';
  const isGoing = wecs.some(
    ({ object }) =>
      at(object, 'status') === undefined ||
      at(object, 'metadata', 'deletionTimestamp') !== undefined,
  );
  return isGoing && expected === 'Progressing'
    ? 'a WEC has no status, or is deleting its object (Progressing): no status of a CronJob is Progressing'
    : undefined;
}

/** CronJobs: never scheduled, never succeeded, running, and with a last run that failed or not; some suspended. */
export const CRON_JOB: KindSets = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  served: { spec: { schedule: '* * * * *', jobTemplate: { spec: ENDING } } },
  readsGeneration: false,
  hasGeneration: true,
  literal: { numbers: [], types: [] },
  specs: fc
    .oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true))
    .map((suspend) => ({ schedule: '* * * * *', suspend })),
  differingSpec: (spec) => fc.boolean().map((suspend) => ({ ...spec, suspend })),
  missingStatus: null,
  statuses: () => statuses,
  unavoidable,
};
