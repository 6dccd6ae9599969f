import { type FleetTargets, fleetTargets } from '#shared/core/desired/desired-fleet.ts';
import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { BUNDLE_STATES, type BundleState, rankOf } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { type DesiredStatus, statusWith } from '#shared/core/fleet/desired-status.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import { equalJson, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { MAX_DECIDERS } from '#shared/core/status/deciders.ts';
import { smallestChoice } from '#shared/core/status/smallest-choice.ts';
import { statusPaths } from '#shared/core/status/status-paths.ts';
import { API_VERSION } from '#shared/core/status-api/api-version.ts';
import { FLEET_LEFT, targetsText } from '#shared/core/status-api/messages.ts';
import type {
  FleetDecider,
  FleetExplanation,
  FleetFieldExplanation,
  FleetRuleName,
} from './fleet-explanation-type.ts';

/** What determines the status of one of Fleet's objects. */
export interface ExplainedFleetObject {
  readonly objects: readonly FleetObject[];
  /** A Bundle, GitRepo, HelmOp, Cluster or ClusterGroup among the objects. */
  readonly one: FleetObject;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Clusters, as `<namespace>/<name>`, whose targets are left out. */
  readonly without?: readonly string[];
}

/** The fields that count targets or what is below them. The members of these fields do, too. */
const COUNTED: ReadonlySet<string> = new Set([
  ...['summary', 'display', 'resourceCounts', 'perClusterResourceCounts', 'resources'],
  ...['unavailable', 'readyClusters', 'desiredReadyClusters', 'readyGitRepos', 'readyHelmOps'],
  ...['desiredReadyGitRepos', 'desiredReadyHelmOps', 'nonReadyClusterCount', 'nonReadyClusters'],
  'conditions[Truncated]',
]);

/** The fields that name the first target of each state that is not Ready. */
const NAMING: ReadonlySet<string> = new Set([
  ...['summary.nonReadyResources', 'display.message', 'display.error', 'conditions[Ready]'],
]);

type Fields = ReadonlyMap<string, JsonValue>;

/** The fields whose members are fields of their own. */
const MEMBERS: ReadonlySet<string> = new Set(['summary', 'display']);

/** The fields of a status by path. */
function fieldsOf(status: JsonObject): Fields {
  const paths = [...statusPaths(status, false)].flatMap(([path, value]) =>
    MEMBERS.has(path) && isObject(value)
      ? Object.entries(value).map(([name, inner]) => [`${path}.${name}`, inner] as const)
      : [[path, value] as const],
  );
  return new Map(paths);
}

function ruleOf(path: string, value: JsonValue): FleetRuleName {
  if (path === 'display.state') return 'worst-state';
  if (NAMING.has(path)) return member(value, 'reason') === 'Error' ? 'own' : 'first-per-state';
  return COUNTED.has(path.replace(/\..*/, '')) ? 'count' : 'own';
}

function decider({ cluster, namespace, name, bundle, state }: DeploymentRow): FleetDecider {
  const deployed = namespace === '' ? {} : { bundleDeployment: `${namespace}/${name}` };
  return { wec: cluster, ...deployed, bundle, value: state };
}

/** The name of a target among those below one object. */
function keyOf({ cluster, namespace, name, bundle }: DeploymentRow): string {
  return [cluster, bundle, namespace, name].join(' ');
}

const ALL = [{ all: true }] as const;

/** Finds the targets that decide the fields of a status. */
class Deciding {
  readonly #rows: ReadonlyMap<string, DeploymentRow>;
  readonly #statusOf: (rows: readonly DeploymentRow[]) => JsonObject;
  readonly #cached = new Map<string, Fields>();

  constructor(
    rows: readonly DeploymentRow[],
    statusOf: (rows: readonly DeploymentRow[]) => JsonObject,
  ) {
    this.#rows = new Map(rows.map((row) => [keyOf(row), row]));
    this.#statusOf = statusOf;
  }

  /** The targets with the worst state, those of each state, and those that are not Ready are tried, in this order. */
  of(path: string, value: JsonValue): FleetFieldExplanation['decidedBy'] {
    // None of all targets is counted.
    if (value === 0) return ALL;
    const inState = (state: BundleState): readonly string[] =>
      [...this.#rows].flatMap(([key, row]) => (row.state === state ? [key] : []));
    const byState = [...BUNDLE_STATES].reverse().map(inState);
    const worst = byState.find((keys) => keys.length > 0) ?? [];
    const choices = [worst.slice(0, 1), ...byState, byState.slice(0, -1).flat()].filter(
      (keys) => keys.length <= MAX_DECIDERS,
    );
    const found = smallestChoice([...this.#rows.keys()], choices, (keys) =>
      equalJson(this.#alone(keys).get(path), value),
    );
    return found?.map((key) => decider(this.#rowAt(key))) ?? ALL;
  }

  #rowAt(key: string): DeploymentRow {
    // The choices are made of known keys.
    return this.#rows.get(key) as DeploymentRow;
  }

  #alone(keys: readonly string[]): Fields {
    const sorted = keys.toSorted();
    const id = sorted.join('\n');
    const found =
      this.#cached.get(id) ?? fieldsOf(this.#statusOf(sorted.map((key) => this.#rowAt(key))));
    this.#cached.set(id, found);
    return found;
  }
}

function verdictOf(rows: readonly DeploymentRow[]): Pick<FleetExplanation, 'verdict'> {
  const ranked = rows.toSorted((a, b) => rankOf(b.state) - rankOf(a.state));
  const [worst] = ranked;
  if (worst === undefined) return {};
  const { state, message } = worst;
  const deciding = ranked.filter((row) => row.state === state).slice(0, MAX_DECIDERS);
  const others: Partial<Record<BundleState, number>> = {};
  for (const row of ranked.slice(deciding.length)) others[row.state] = (others[row.state] ?? 0) + 1;
  const decidedBy = deciding.map(decider);
  return { verdict: { status: state, rank: rankOf(state), message, decidedBy, others } };
}

function reasonOf(rows: readonly DeploymentRow[]): string {
  const counts = BUNDLE_STATES.flatMap((state) => {
    const { length } = rows.filter((row) => row.state === state);
    return length === 0 ? [] : [`${length} ${state}`];
  });
  return targetsText(rows.length, counts);
}

function fieldExplanations(
  { one, nowMs }: ExplainedFleetObject,
  targets: FleetTargets,
  rows: readonly DeploymentRow[],
): readonly FleetFieldExplanation[] {
  const stored = member(one.object, 'status');
  const whole = (desired: DesiredStatus): JsonObject =>
    statusWith(stored, desired, secondsText(nowMs));
  const desired = targets.statusOf(rows);
  if (desired === undefined) return [];
  // Whether there is a status does not depend on the targets.
  const deciding = new Deciding(rows, (some) => whole(targets.statusOf(some) as DesiredStatus));
  const fields = [...fieldsOf(whole(desired))].sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([path, value]): FleetFieldExplanation => {
    const rule = ruleOf(path, value);
    const own = { path, value, rule, documentation: 'fleet.md#explanations' };
    const decidedBy = rule === 'own' ? undefined : deciding.of(path, value);
    return decidedBy === undefined ? own : { ...own, decidedBy };
  });
}

/**
 * Explains the status of one of Fleet's objects: which targets (BundleDeployments, and Clusters that wait for one) decide
 * each field, and which state is the worst. If only these targets existed, the field would have the same value.
 */
export function explainFleetObject(explained: ExplainedFleetObject): FleetExplanation {
  const { objects, one, nowMs, without = [] } = explained;
  const { kind, namespace, name } = one;
  const targets = fleetTargets(objects, one, nowMs);
  const rows = targets.rows
    .filter(({ cluster }) => !without.includes(cluster))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const fields = fieldExplanations(explained, targets, rows);
  const resource = kindPlural(FLEET_GROUP, kind);
  const clusters = new Set(rows.map(({ cluster }) => cluster));
  const waiting = rows.filter((row) => row.namespace === '');
  return {
    apiVersion: API_VERSION,
    kind: 'Explanation',
    metadata: { name: `${resource}.${FLEET_GROUP}:${name}`, namespace },
    workload: { group: FLEET_GROUP, resource, kind, namespace, name },
    ...(without.length === 0 ? {} : { without }),
    decision: {
      action: fields.length === 0 ? 'Leave' : 'Aggregate',
      reason: fields.length === 0 ? FLEET_LEFT : reasonOf(rows),
      bindings: [],
    },
    wecs: {
      qualified: rows.length,
      reported: rows.length - waiting.length,
      silent: targets.silent.filter((cluster) => clusters.has(cluster)),
      missing: [...new Set(waiting.map(({ cluster }) => cluster))],
      tooLarge: [],
    },
    ...verdictOf(rows),
    fields,
  };
}
