import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import { FLEET_GROUP, FLEET_VERSION } from '#shared/core/fleet-object.ts';
import { at } from '#shared/core/json.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';
import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import { workloadKey } from '#shared/core/workload.ts';
import { boardOf, type ShownWorkload, shownWorkloads, worldOf } from './board.ts';
import { statusDifferencesOf } from './expected.ts';
import type { FleetLine } from './fleet-line.ts';
import {
  cannotQueue,
  cannotRead,
  deadLetters,
  INSTALL,
  lettersNotKept,
  notServed,
} from './messages.ts';
import { ObjectErrors } from './object-errors.ts';
import { type ClusterObjects, CONTROL, type ObservedChange } from './observation.ts';
import type { ClusterProblem, View } from './view.ts';

/** The suffix of KubeStellar's resources. A cluster without them is not a WDS. */
const KUBESTELLAR = `.${CONTROL_API_VERSION}`;

/** The suffix of Fleet's resources. */
const FLEET = `.${FLEET_GROUP}/${FLEET_VERSION}`;

/** The remedy if a resource is not served, or `undefined` if it is optional. */
function remedy(resource: string): string | undefined {
  if (resource.endsWith(KUBESTELLAR)) return INSTALL.kubeStellar;
  // Older versions of Fleet have no HelmOps.
  if (!resource.endsWith(FLEET) || resource.startsWith('helmops.')) return undefined;
  return INSTALL.fleet;
}

/** The problem of a forwarder, or `undefined` if there is none. */
function forwarderProblem(state: ForwarderState): string | undefined {
  if (state.queueError !== undefined) return cannotQueue(state.queueError);
  if (state.sourceError !== undefined) return cannotRead(state.sourceError);
  for (const [resource, { phase, error }] of state.resources) {
    if (phase === 'waiting') return cannotRead(error ?? resource);
    const missing = phase === 'not-served' ? remedy(resource) : undefined;
    if (missing !== undefined) return notServed(resource, missing);
  }
  return state.problems[0];
}

/** The period over which changes are counted. */
const RATE_WINDOW_MS = 5_000;
/** Further workloads are neither shown nor compared with their desired content. */
const MAX_WORKLOADS = 10;
const MAX_MESSAGES = 20;
/** For more WECs, a fold at each change would cost more than the pipeline itself. */
const MAX_MEASURED_WECS = 100;

/** Whether a change can affect a workload object or what is shown about it. */
function touches(
  clusters: ClusterObjects,
  { bound }: ShownWorkload,
  { resource, key }: ObservedChange,
): boolean {
  const own = `${bound.namespace}/${bound.name}`;
  if (resource.group !== CONTROL.bindings.group)
    return resource.group === bound.group && resource.resource === bound.resource && key === own;
  if (resource.resource !== CONTROL.combinedStatuses.resource) return true;
  const uid = at(clusters.objects(clusters.wds, bound).get(own), 'metadata', 'uid');
  return key.slice(key.indexOf('/') + 1).startsWith(`${String(uid)}.`);
}

/**
 * Collects what is shown to a user: the state in the clusters, which clusters do not answer, how long the WDS takes to
 * follow.
 */
export class Monitor {
  readonly #clock: () => number;
  readonly #problems = new Map<string, string>();
  readonly #messages: string[] = [];
  readonly #objectErrors = new ObjectErrors();
  /** Since when the WDS does not have the desired content, by workload. */
  readonly #behindSince = new Map<string, number>();
  readonly #changeTimes: number[] = [];
  #latencyMs: number | undefined;
  #shown: readonly ShownWorkload[] | undefined;
  #fleet: FleetLine | undefined;
  backlog: Readonly<Record<string, number>> = {};
  /** Dead letters of events that were not kept, by source. */
  lettersLeftOut: ReadonlyMap<string, number> = new Map();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The workload objects that are shown: those of the Bindings at the time of the last change of a Binding. */
  #shownIn(clusters: ClusterObjects): readonly ShownWorkload[] {
    if (this.#shown === undefined) {
      const bindings = clusters.objects(clusters.wds, CONTROL.bindings).values();
      this.#shown = shownWorkloads(bindings, MAX_WORKLOADS);
    }
    return this.#shown;
  }

  /** Processes a change in a cluster. Returns whether it affects what is shown. */
  changed(clusters: ClusterObjects, change: ObservedChange): boolean {
    const { cluster, resource } = change;
    if (cluster !== clusters.wds) this.#changeTimes.push(this.#clock());
    this.#forgetChanges();
    const isBinding = resource.resource === CONTROL.bindings.resource;
    if (isBinding) this.#shown = undefined;
    const touched = this.#shownIn(clusters).filter((shown) => touches(clusters, shown, change));
    for (const shown of touched) this.#compare(clusters, shown, change);
    // A removed Binding affects nothing that is still shown.
    return isBinding || touched.length > 0;
  }

  /** Processes a change like {@link changed}. Returns what is new about the errors of a Binding or StatusCollector. */
  objectErrors(clusters: ClusterObjects, change: ObservedChange): ClusterProblem | undefined {
    return this.#objectErrors.changed(clusters, change);
  }

  #forgetChanges(): void {
    const since = this.#clock() - RATE_WINDOW_MS;
    const kept = this.#changeTimes.findIndex((time) => time > since);
    this.#changeTimes.splice(0, kept < 0 ? this.#changeTimes.length : kept);
  }

  /**
   * Measures the time from the first change that the WDS does not show until the WDS has the desired `.status`. CombinedStatuses are
   * not compared: StatusCollectors are evaluated only where they can be ended, and this is the main thread.
   */
  #compare(clusters: ClusterObjects, shown: ShownWorkload, { cluster }: ObservedChange): void {
    // Newer Bindings do not count. To find which do, all would be parsed at each change.
    const isLarge = shown.destinations.length > MAX_MEASURED_WECS;
    if (isLarge || shown.bindings.length > MAX_OBJECT_BINDINGS) return;
    // If a WEC is not read here, its reports are not known, and neither is the desired content of the WDS.
    if (shown.destinations.some((wec) => !clusters.wecs.includes(wec))) return;
    const world = worldOf(clusters, shown);
    if (world === undefined) return;
    const key = workloadKey(world.ref);
    const since = this.#behindSince.get(key);
    const now = this.#clock();
    if (statusDifferencesOf(world).length > 0) this.#behindSince.set(key, since ?? now);
    else if (since !== undefined) {
      this.#behindSince.delete(key);
      // If a WEC returned to its earlier state, this is not a latency of the WDS.
      if (cluster === clusters.wds) this.#latencyMs = now - since;
    }
  }

  /** Processes the state of a forwarder. Returns its problem, or `undefined` if it has none. */
  forwarder(cluster: string, state: ForwarderState): string | undefined {
    const problem = forwarderProblem(state);
    this.problem(cluster, problem);
    if (this.#fleet?.name === cluster) this.#fleet = { ...this.#fleet, connected: state.connected };
    return problem;
  }

  /** Adds a management cluster of Fleet. */
  fleet({ name, mode }: Pick<FleetLine, 'name' | 'mode'>): void {
    this.#fleet = { name, mode, connected: false };
  }

  /** Sets how many of its objects differ. */
  fleetDiffers(differing: number): void {
    if (this.#fleet !== undefined) this.#fleet = { ...this.#fleet, differing };
  }

  /**
   * Sets the problem of a cluster, or of another thing that is shown like a cluster. `undefined` means no problem.
   *
   * @returns whether this is a change
   */
  problem(thing: string, problem: string | undefined): boolean {
    const before = this.#problems.get(thing);
    if (problem === undefined) this.#problems.delete(thing);
    else this.#problems.set(thing, problem);
    return before !== problem;
  }

  message(text: string): void {
    if (this.#messages.at(-1) === text) return;
    this.#messages.push(text);
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
  }

  /** The dead-letter queues that are not empty, and the sources with more dead letters than are kept. */
  deadLetters(): readonly ClusterProblem[] {
    const leftOut = [...this.lettersLeftOut].map(([source, count]) => ({
      cluster: `events-dlq ${source}`,
      problem: lettersNotKept(count),
    }));
    const queues = Object.entries(this.backlog)
      .filter(([queue, count]) => queue.endsWith('-dlq') && count > 0)
      .map(([queue, count]) => ({
        cluster: queue,
        problem: deadLetters(count),
      }));
    return [...queues, ...leftOut];
  }

  /** The number of messages that are waiting or being handled. */
  waiting(): number {
    return Object.entries(this.backlog)
      .filter(([queue]) => !queue.endsWith('-dlq'))
      .reduce((sum, [, count]) => sum + count, 0);
  }

  view(clusters: ClusterObjects, added: Pick<View, 'title' | 'progress' | 'hints'>): View {
    this.#forgetChanges();
    const problems = [...this.#problems].map(([cluster, problem]) => ({ cluster, problem }));
    return {
      ...added,
      workloads: this.#shownIn(clusters).map((shown) => boardOf(clusters, shown)),
      problems: [...problems, ...this.deadLetters(), ...this.#objectErrors.problems()],
      counters: {
        changesPerSecond: (this.#changeTimes.length * 1000) / RATE_WINDOW_MS,
        backlog: this.waiting(),
        latencyMs: this.#latencyMs,
      },
      messages: this.#messages,
      ...(this.#fleet === undefined ? {} : { fleet: this.#fleet }),
      hasWds: clusters.wds !== '',
    };
  }
}
