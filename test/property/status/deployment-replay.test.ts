import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';
import {
  at,
  isArray,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/rules.ts';
import { appliedObject, type RecordedEvent, recordedEvents } from './recordings.ts';

const KIND = 'Deployment';
const SCENARIOS: readonly (readonly [scenario: string, steps: number])[] = [
  ['deployment-rollout', 3],
  ['deployment-deadline', 3],
  ['deployment-crashloop', 2],
  ['deployment-paused-and-deleted', 3],
  ['hpa', 1],
];
const CLUSTERS = ['wec1', 'wec2', 'wec3'];

/** The WDS's object in a step of the scenario. */
function workloadIn(scenario: string, step: number): WorkloadObject {
  const applied = appliedObject(scenario, { step, kind: KIND });
  const name = at(applied, 'metadata', 'name') ?? null;
  const metadata = { name, generation: step };
  return { ...applied, apiVersion: 'apps/v1', kind: KIND, metadata };
}

function isScaled(object: JsonObject): boolean {
  const fields = at(object, 'metadata', 'managedFields');
  return isArray(fields) && fields.some((entry) => member(entry, 'subresource') === 'scale');
}

function perWec(wec: string, event: RecordedEvent | undefined): PerWecRow {
  if (event === undefined || event.type === 'DELETED') return { wec };
  const { object } = event;
  const { spec = null, status = null } = object;
  const row = {
    wec,
    uid: String(at(object, 'metadata', 'uid')),
    generation: countAt(object, 'metadata', 'generation'),
    specHash: stringifyJson(spec),
    replicasFromScale: isScaled(object),
    status,
  };
  return { wec, row };
}

/** Whether the cluster's object is of the step, by the fields that the scenarios change and the WDS sets. */
function isOfStep(object: JsonObject, workload: WorkloadObject): boolean {
  const setByWds = at(workload, 'spec', 'replicas') !== undefined && !isScaled(object);
  const changed = (one: JsonObject): JsonValue => {
    const containers = at(one, 'spec', 'template', 'spec', 'containers');
    return [
      setByWds ? (at(one, 'spec', 'replicas') ?? null) : null,
      at(one, 'spec', 'paused') === true,
      member(isArray(containers) ? containers[0] : undefined, 'image') ?? null,
    ];
  };
  return stringifyJson(changed(object)) === stringifyJson(changed(workload));
}

function verdictOn(event: RecordedEvent | undefined, workload: WorkloadObject): ArgoCdStatus {
  if (event === undefined || event.type === 'DELETED') return 'Progressing';
  if (!isOfStep(event.object, workload)) return 'Progressing';
  return assessArgoCd(event.object)?.status ?? 'Unknown';
}

function expectWorst(workload: WorkloadObject, latest: ReadonlyMap<string, RecordedEvent>): void {
  const events = CLUSTERS.map((wec) => latest.get(wec));
  const specs = events.flatMap((event): [string, JsonValue][] => {
    const spec = event?.object['spec'];
    return spec === undefined ? [] : [[stringifyJson(spec), spec]];
  });
  const fold = statusFold(workload, new Map(specs));
  const rows = CLUSTERS.map((wec, index) => perWec(wec, events[index]));
  const status = fold.finish(foldRows(fold, rows)) ?? {};
  const verdicts = events.map((event) => verdictOn(event, workload));
  // A paused Deployment is Suspended whatever its status says.
  const isPaused = at(workload, 'spec', 'paused') === true;
  const expected = isPaused ? 'Suspended' : worst(verdicts);
  expect(assessArgoCd({ ...workload, status })?.status).toBe(expected);
}

describe.each(SCENARIOS)(
  'the recording %s, aggregated for each step of its WDS',
  (scenario, steps) => {
    const events = recordedEvents(scenario, KIND);
    const workloads = Array.from({ length: steps }, (_none, index) =>
      workloadIn(scenario, index + 1),
    );

    it('is to Argo CD what the worst cluster is, after each event', () => {
      for (const workload of workloads) {
        const latest = new Map<string, RecordedEvent>();
        expectWorst(workload, latest);
        for (const event of events) {
          latest.set(event.cluster, event);
          expectWorst(workload, latest);
        }
      }
    });

    it('is so however the clusters are interleaved', () => {
      const histories = CLUSTERS.map((wec) => events.filter(({ cluster }) => cluster === wec));
      const moment = fc.tuple(
        fc.constantFrom(...workloads),
        ...histories.map((history) => fc.nat({ max: history.length })),
      );
      fc.assert(
        fc.property(moment, ([workload, ...lengths]) => {
          const latest = new Map<string, RecordedEvent>();
          for (const [index, length] of lengths.entries()) {
            const event = histories[index]?.[length - 1];
            if (event !== undefined) latest.set(event.cluster, event);
          }
          expectWorst(workload, latest);
        }),
        { numRuns: 300 },
      );
    });

    it('has clusters that agree with the WDS at some time, so that its verdicts say something', () => {
      const isOfAny = ({ object }: RecordedEvent): boolean =>
        workloads.some((workload) => isOfStep(object, workload));
      expect(events.every(isOfAny)).toBe(true);
    });
  },
);
