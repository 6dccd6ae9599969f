import { BindingResolver } from '#shared/core/binding/binding-resolver.ts';
import { messageOf } from '#shared/errors.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { backoffMs, type Waiting } from '#shared/watch/backoff.ts';
import { BindingWriter, type ResolverLogger } from './binding-writer.ts';
import { InventoryView } from './inventory-view.ts';
import { WdsView } from './wds-view.ts';

/** Believes that something is gone only after some time: an API server that has just started does not serve everything. */
class Grace {
  readonly #clock: () => number;
  readonly #ms: number;
  readonly #since = new Map<string, number>();

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Of those that are missing now, the ones that have not been so for long. */
  recent(missing: ReadonlySet<string>): ReadonlySet<string> {
    const now = this.#clock();
    for (const name of [...this.#since.keys()]) if (!missing.has(name)) this.#since.delete(name);
    for (const name of missing) if (!this.#since.has(name)) this.#since.set(name, now);
    const recent = [...this.#since].filter(([, since]) => now - since < this.#ms);
    return new Set(recent.map(([name]) => name));
  }

  /** Begins anew: nothing can be said of the time that has passed. */
  reset(): void {
    this.#since.clear();
  }
}

/** Times, in milliseconds. */
interface ResolverTimes {
  /** Changes gather so long before Bindings are written. Default 100. */
  readonly settleMs?: number;
  /** Between two looks at which resources the WDS serves. Default 30 s. */
  readonly discoveryMs?: number;
  /** After so long it is believed that a resource that is not served has no objects. Default 30 s. */
  readonly graceMs?: number;
}

/** What a resolver needs of the world. */
export interface BindingResolverOptions extends Waiting {
  readonly wds: ObjectApi & ResourceApi;
  /** Where the ManagedClusters are; absent: in the WDS, if there are any. */
  readonly inventory?: ResourceApi;
  /** WECs that are known by name; without an inventory of its own they count, without labels, while there is no ManagedCluster. */
  readonly clusters?: readonly string[];
  readonly config?: ResolverTimes;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly logger: ResolverLogger;
  /** Told what it waits for, and when it no longer does (`undefined`). */
  readonly onState?: (waitsFor: string | undefined) => void;
}

/** A running resolver. */
export interface RunningResolver {
  stop(): Promise<void>;
  /** What it waits for before it writes; `undefined`: it is at work. */
  waitsFor(): string | undefined;
}

const DEFAULTS = { settleMs: 100, discoveryMs: 30_000, graceMs: 30_000 };

class Resolver implements RunningResolver {
  readonly #options: BindingResolverOptions;
  readonly #times: Required<ResolverTimes>;
  readonly #wds: WdsView;
  readonly #inventory: InventoryView;
  readonly #writer: BindingWriter;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<unknown>;
  readonly #grace: Grace;
  #isWoken = false;
  #endWait: () => void = () => {};
  #waitsFor: string | undefined = 'the WDS';
  #discoveryProblem: string | undefined = 'discovery';

  constructor(options: BindingResolverOptions) {
    this.#options = options;
    this.#times = { ...DEFAULTS, ...options.config };
    this.#grace = new Grace(options.clock, this.#times.graceMs);
    const { wds, inventory = wds, clusters = [], sleep, random, logger } = options;
    const resolver = new BindingResolver();
    const wake = (): void => this.#wake();
    const deps = (api: ResourceApi) => ({ api, sleep, random, onProgress: wake });
    const isRequired = options.inventory !== undefined;
    const names = isRequired ? [] : clusters;
    this.#wds = new WdsView(deps(wds), resolver, (name) => this.#writer.look(name));
    this.#inventory = new InventoryView(deps(inventory), resolver, { names, isRequired });
    this.#writer = new BindingWriter({
      ...{ api: wds, resolver, wds: this.#wds, logger },
      ...{ sleep, random, onPending: wake },
    });
    this.#ended = Promise.all([this.#discover(), this.#write()]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await Promise.all([this.#ended, this.#wds.stop(), this.#inventory.stop()]);
  }

  waitsFor(): string | undefined {
    return this.#waitsFor;
  }

  /** Learns again and again which resources there are: CustomResourceDefinitions come and go. */
  async #discover(): Promise<void> {
    const { wds, sleep, random } = this.#options;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        this.#wds.serve((await wds.discover(signal)).resources);
        this.#discoveryProblem = undefined;
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#discoveryProblem = `discovery: ${messageOf(error)}`;
      }
      this.#wake();
      const ms = failures === 0 ? this.#times.discoveryMs : backoffMs(failures, random);
      await sleep(ms, signal);
    }
  }

  /** What has to be known before anything is written: what is not known must not be taken for absent. */
  #problem(): string | undefined {
    const discovery = this.#discoveryProblem === undefined ? [] : [this.#discoveryProblem];
    return [...discovery, ...this.#wds.problems(), ...this.#inventory.problems()][0];
  }

  async #write(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#settle();
      if (!this.#isKnown()) continue;
      // What was known before one Binding was written may not be known any more afterwards.
      for (const name of this.#writer.pending())
        if (this.#isKnown()) await this.#writer.write(name, this.#recentlyGone(), signal);
    }
  }

  /** Whether all that counts is known at this moment. */
  #isKnown(): boolean {
    if (this.#stopping.signal.aborted) return false;
    this.#wds.refresh();
    this.#inventory.refresh();
    const problem = this.#problem();
    this.#tell(problem);
    if (problem !== undefined) this.#grace.reset();
    return problem === undefined;
  }

  /** The resources that are not served, and may come back soon. */
  #recentlyGone(): ReadonlySet<string> {
    return this.#grace.recent(new Set([...this.#wds.unserved(), ...this.#inventory.unserved()]));
  }

  #wake(): void {
    this.#isWoken = true;
    this.#endWait();
  }

  /** Ends some time after something has happened: changes gather. */
  async #settle(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#endWait = resolve;
    });
    if (!this.#isWoken) await woken;
    await this.#options.sleep(this.#times.settleMs, this.#stopping.signal);
    // What happens from now on is not seen by the work that follows.
    this.#isWoken = false;
  }

  #tell(problem: string | undefined): void {
    if (problem === this.#waitsFor) return;
    this.#waitsFor = problem;
    this.#options.onState?.(problem);
  }
}

/**
 * Makes the Bindings of a WDS follow its BindingPolicies, without KubeStellar's controller (KubeStellar, binding
 * controller), until it is stopped. Never run it in a WDS in which that controller runs: policies that carry its
 * finalizer are left to it. Everything is read anew at its start; API servers that are down are tried again for ever.
 */
export function startBindingResolver(options: BindingResolverOptions): RunningResolver {
  return new Resolver(options);
}
