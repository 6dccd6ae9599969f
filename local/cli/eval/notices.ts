import { hasUid } from '#local/cli/input/given-objects.ts';
import type { GivenWorkload } from '#local/cli/input/given-workload.ts';
import {
  aboutObject,
  emptyReport,
  judgedAsGiven,
  missingObject,
  NO_DESTINATION,
  NO_GENERATION,
  NO_UID,
  noReport,
  notSent,
  STRAY,
} from '#local/cli/input/messages.ts';
import { reportingWecs, type WecReports } from '#local/cli/input/wec-reports.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { contentOf } from '#shared/core/desired/desired-state.ts';
import { membershipsFor, type WdsMemberships } from '#shared/core/desired/membership.ts';
import { namesText } from '#shared/core/fold/named-wecs.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { decideStatus } from '#shared/core/status/decision.ts';
import { objectKey, workloadTitle } from '#shared/core/workload.ts';
import type { Evaluated, Evaluation } from './evaluate.ts';
import type { ReadEvaluation } from './object-options.ts';

function isSentTo(membership: WdsMemberships, key: string, wec: string): boolean {
  const memberships = membership.memberships.get(key) ?? [];
  return memberships.some(({ destinations }) => destinations.set.has(wec));
}

function unusedReports(membership: WdsMemberships, reports: WecReports): readonly string[] {
  return [...reports].flatMap(([key, byWec]) =>
    [...byWec.values()]
      .filter(({ wec }) => !isSentTo(membership, key, wec))
      .map((report) => aboutObject(report, notSent(report.wec))),
  );
}

/** A misspelt name, or an empty file, looks like a WEC that has not reported. */
function unheardDestinations(
  { wecs, reports }: ReadEvaluation,
  { membership }: Evaluated,
): readonly string[] {
  const destinations = new Set(
    membership.bindings.flatMap(({ spec }) => (spec.objects.length > 0 ? spec.destinations : [])),
  );
  const named = new Set(wecs.map(({ wec }) => wec));
  const heard = reportingWecs(reports);
  const without = [...destinations].filter((wec) => !named.has(wec) && !heard.has(wec)).sort();
  return [
    ...wecs
      .filter(({ wec }) => destinations.has(wec) && !heard.has(wec))
      .map(({ wec, files }) => emptyReport(wec, files.map(({ file }) => file).join(', '))),
    ...(without.length === 0 ? [] : [noReport(namesText(without, without.length))]),
  ];
}

/**
 * What the user should know if nothing is given for any WEC, and each object is therefore judged as it is given: the WECs to
 * which Bindings send these objects. A Binding of which no object is given changes nothing here.
 */
export function noticesWithoutReports({
  membership,
  workloads,
  fleet,
}: Evaluated): readonly string[] {
  const given = new Set(workloads.map(({ ref }) => objectKey(ref)));
  const destinations = new Set(
    membership.bindings.flatMap(({ spec }) =>
      spec.objects.some((object) => given.has(objectKey(object))) ? spec.destinations : [],
    ),
  );
  const wecs = [...destinations].sort();
  const sent = wecs.length === 0 ? [] : [judgedAsGiven(namesText(wecs, wecs.length))];
  return [...sent, ...fleet.notices];
}

function outdatedSpellings({ bindings }: Evaluated['membership']): readonly string[] {
  return bindings.flatMap(({ given, spec }) =>
    spec.outdated.map((text) => aboutObject(given, text)),
  );
}

function missingObjects({ membership, workloads }: Evaluated): readonly string[] {
  const given = new Set(workloads.map(({ ref }) => objectKey(ref)));
  return membership.bindings.flatMap(({ given: binding, spec }) =>
    spec.objects
      .filter((object) => !given.has(objectKey(object)))
      .map((object) => aboutObject(binding, missingObject(workloadTitle(object)))),
  );
}

function outdatedPolicies({ input }: Evaluation): readonly string[] {
  return input.policies.flatMap((policy) =>
    parseBindingPolicy(policy.object).outdated.map((text) => aboutObject(policy, text)),
  );
}

/**
 * A Binding without destinations is usually a mistake. A Binding that was made from a policy is named by the policy's
 * title.
 */
function withoutDestination({ bindings }: Evaluated['membership']): readonly string[] {
  return bindings
    .filter(({ spec }) => spec.destinations.length === 0 && spec.objects.length > 0)
    .map(({ given }) => aboutObject(given, NO_DESTINATION));
}

function hasCollectors(membership: WdsMemberships, { ref }: GivenWorkload): boolean {
  return membershipsFor(membership, ref).some(
    ({ modulation }) => modulation.statusCollectors.length > 0,
  );
}

function withoutUid(
  { input }: Evaluation,
  { membership, workloads }: Evaluated,
): readonly string[] {
  const named = new Set(input.policies.filter(hasUid).map(({ name }) => name));
  const objects = workloads.filter((workload) => hasCollectors(membership, workload));
  const bindings = membership.bindings.filter(
    ({ given, spec }) =>
      // If the policy has a uid, the uid names them.
      !named.has(given.name) &&
      spec.objects.some(({ modulation }) => modulation.statusCollectors.length > 0),
  );
  return [...objects, ...bindings]
    .filter(({ given }) => !hasUid(given))
    .map(({ given }) => aboutObject(given, NO_UID));
}

/** The kinds of `apps` whose generations Argo CD compares. */
const READ_WITH_GENERATION: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
]);

function isAggregated(membership: WdsMemberships, workload: GivenWorkload): boolean {
  const own = membershipsFor(membership, workload.ref).map(({ modulation, destinations }) => ({
    ...modulation,
    destinations: destinations.names,
  }));
  return decideStatus(contentOf(workload), own).action === 'aggregate';
}

/**
 * For an object without a generation, no `observedGeneration` is too low, so nothing would show that a WEC is behind.
 */
function withoutGeneration({ membership, workloads }: Evaluated): readonly string[] {
  return workloads
    .filter(
      (workload) =>
        workload.given.group === 'apps' &&
        READ_WITH_GENERATION.has(workload.given.kind) &&
        countAt(workload.given.object, 'metadata', 'generation') === 0 &&
        isAggregated(membership, workload),
    )
    .map(({ given }) => aboutObject(given, NO_GENERATION));
}

/** What the user should know about an evaluation in addition to its results. */
export function noticesOf(evaluation: ReadEvaluation, evaluated: Evaluated): readonly string[] {
  return [
    ...outdatedSpellings(evaluated.membership),
    ...outdatedPolicies(evaluation),
    ...withoutDestination(evaluated.membership),
    ...unheardDestinations(evaluation, evaluated),
    ...missingObjects(evaluated),
    ...withoutUid(evaluation, evaluated),
    ...withoutGeneration(evaluated),
    ...unusedReports(evaluated.membership, evaluation.reports),
    ...evaluated.dropped,
    ...evaluated.fleet.notices,
    ...evaluated.unplaced.map((given) => aboutObject(given, STRAY)),
  ];
}
