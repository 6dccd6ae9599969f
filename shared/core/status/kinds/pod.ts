import { assessPod } from '#shared/core/health/pod.ts';
import type { ArgoCdStatus, ArgoCdVerdict, ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { isObject, type JsonObject, member } from '#shared/core/json.ts';
import {
  badness,
  type Component,
  conditions,
  fieldsOf,
  ofTypes,
  witness,
} from '#shared/core/status/component.ts';
import {
  type ConditionsPart,
  conditionListsOf,
  NO_CONDITIONS,
} from '#shared/core/status/conditions.ts';
import { condition, departing, oneWec } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

function hasSucceeded({ status }: RowFacts): boolean {
  return status['phase'] === 'Succeeded';
}

/** Argo CD's verdict. A Pod that is read from a file may lack fields that API servers set. */
function assess(object: JsonObject, version: ArgoCdVersion): ArgoCdVerdict {
  const spec = object['spec'];
  if (!isObject(spec) || member(spec, 'restartPolicy') !== undefined)
    return assessPod(object, version);
  return assessPod({ ...object, spec: { ...spec, restartPolicy: 'Always' } }, version);
}

/**
 * Worse verdicts first, by Argo CD 3 and then by 2.14 (which does not know the annotation that makes it judge running
 * Pods of any restart policy), then Pods that have succeeded.
 */
function rank(facts: RowFacts): readonly number[] {
  const older = assess({ ...facts.workload, status: facts.status }, '2.14');
  return [badness(facts.verdict), badness(older.status), Number(hasSucceeded(facts))];
}

/** The only type of condition that Argo CD reads. */
const READ: ReadonlySet<unknown> = new Set(['Ready']);

const entries = conditions({ read: ofTypes(READ) });

type ReadyPart = { readonly unfinished: number; readonly entries: ConditionsPart };

/**
 * The condition Ready over the WECs whose Pod has not succeeded. A Pod that has succeeded is no longer ready, and need
 * not be.
 */
const unfinished: Component<ReadyPart, readonly JsonObject[]> = {
  lift: (facts) => ({
    unfinished: Number(!hasSucceeded(facts)),
    entries: hasSucceeded(facts) ? NO_CONDITIONS : entries.lift(facts),
  }),
  merge: (a, b) => ({
    unfinished: a.unfinished + b.unfinished,
    entries: entries.merge(a.entries, b.entries),
  }),
  finish: (part, totals) => entries.finish(part.entries, { ...totals, rows: part.unfinished }),
  deciders: conditionListsOf(({ entries: list }) => [list]),
};

/** The fields that are copied from the worst WEC, or a phase that is as bad. */
const FROM_THE_WORST = { ...oneWec('worst'), ...departing('as-the-worst', 'worst') } as const;

/** The phases that Argo CD judges alike for any restart policy, and that mean only that verdict. */
const PHASE_OF: Readonly<Partial<Record<ArgoCdStatus, string>>> = {
  Progressing: 'Pending',
  Degraded: 'Failed',
  Unknown: 'Unknown',
};

/** The fields that may accompany a phase, left out. */
const NOTHING_SAID: JsonObject = {
  message: '',
  containerStatuses: [],
  initContainerStatuses: [],
  conditions: [],
};

/**
 * The rule for v1 Pods, over all qualified WECs.
 *
 * - `phase`, `message`, `containerStatuses`, `initContainerStatuses`: copied together from one WEC, because they only
 *   have a meaning together. The worst in Argo CD's order is used. They are not left out or merged if WECs differ (P1,
 *   P3, P4, P5). Among equally bad ones, one that has succeeded goes first, then the first by name. A WEC that has
 *   returned nothing counts as Pending (P6).
 * - `conditions`: only Ready, over all WECs. If Argo CD's verdict would otherwise not be the worst of its verdicts on
 *   the WECs, over those whose Pod has not succeeded (P2).
 * - Other fields (`podIPs`, `startTime`, `reason`, ephemeral containers) are not aggregated, because Argo CD does not
 *   read them.
 *
 * Argo CD judges these fields by the restart policy. If a WEC's policy differs from the WDS object's, so that the
 * verdict would differ in the WDS, the phase is one that is as bad, without the fields that would contradict it. A
 * status cannot express two things: that a running Pod is Healthy if it is meant to end by the WDS object's policy;
 * and, if no WEC has a status, anything: that is Unknown.
 */
export const podRule = kindRule({
  assess,
  readsGeneration: false,
  missingStatus: { phase: 'Pending' },
  components: {
    worst: witness(rank, ({ status }) =>
      fieldsOf(status, 'phase', 'message', 'containerStatuses', 'initContainerStatuses'),
    ),
    all: entries,
    unfinished,
  },
  documentation: 'rules.md#pod',
  fields: {
    phase: FROM_THE_WORST,
    message: FROM_THE_WORST,
    containerStatuses: FROM_THE_WORST,
    initContainerStatuses: FROM_THE_WORST,
    'conditions[Ready]': {
      ...condition('all'),
      ...departing('without-succeeded', 'unfinished'),
    },
  },
  literal: (part) => ({ ...part.worst, conditions: part.all }),
  departure(part, { workload, worst }, literal) {
    const status = { ...literal, conditions: part.unfinished };
    const phase = PHASE_OF[worst];
    const found = assess({ ...workload, status }, '3').status;
    return phase === undefined || found === worst ? status : { ...NOTHING_SAID, phase };
  },
});
