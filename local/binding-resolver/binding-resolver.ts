import { BindingResolver } from '#shared/core/binding/binding-resolver.ts';
import { messageOf } from '#shared/errors.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { backoffMs, type Waiting } from '#shared/watch/backoff.ts';
import { BindingWriter, type ResolverLogger } from './binding-writer.ts';
import { InventoryView } from './inventory-view.ts';
import { discovery } from './messages.ts';
import { WdsView } from './wds-view.ts';

/**
 * Treats something as gone only after some time, because an API server that has just started does not serve everything
 * yet.
 */
class Grace {
  readonly #clock: () => number;
  readonly #ms: number;
  readonly #since = new Map<string, number>();

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Sets what is missing now. */
  note(missing: ReadonlySet<string>): void {
    const now = this.#clock();
    for (const name of [...this.#since.keys()]) if (!missing.has(name)) this.#since.delete(name);
    for (const name of missing) if (!this.#since.has(name)) this.#since.set(name, now);
  }

  /** Of what is missing, the entries that have been missing only for a short time. */
  recent(): ReadonlySet<string> {
    const now = this.#clock();
    const recent = [...this.#since].filter(([, since]) => now - since < this.#ms);
    return new Set(recent.map(([name]) => name));
  }

  /** Starts again, because nothing is known about the time that has passed. */
  reset(): void {
    this.#since.clear();
  }
}

/** Times, in milliseconds. */
interface ResolverTimes {
  /** How long changes are collected before Bindings are written. Default 100. */
  readonly settleMs?: number;
  /** The time between two reads of the resources that the WDS serves. Default 30 s. */
  readonly discoveryMs?: number;
  /** After this time, a resource that is not served counts as having no objects. Default 30 s. */
  readonly graceMs?: number;
}

/** The dependencies of a resolver. */
export interface BindingResolverOptions extends Waiting {
  readonly wds: ObjectApi & ResourceApi;
  /** The API with the ManagedClusters. If absent, they are in the WDS, if there are any. */
  readonly inventory?: ResourceApi;
  /**
   * Names of known WECs. If there is no separate inventory, they count, without labels, as long as there is no
   * ManagedCluster.
   */
  readonly clusters?: readonly string[];
  readonly config?: ResolverTimes;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly logger: ResolverLogger;
  /** Called with what {@link RunningResolver.waitsFor} returns, when that changes. */
  readonly onState?: (waitsFor: string | undefined) => void;
}

/** A running resolver. */
export interface RunningResolver {
  stop(): Promise<void>;
  /**
   * What the resolver is waiting for before it writes all Bindings or, as the text says then, some of them; `undefined` if it
   * waits for nothing.
   */
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
  #discoveryProblem: string | undefined = discovery();

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

  /** Repeatedly discovers the resources, because CustomResourceDefinitions are added and removed. */
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
        this.#discoveryProblem = discovery(messageOf(error));
      }
      this.#wake();
      const ms = failures === 0 ? this.#times.discoveryMs : backoffMs(failures, random);
      await sleep(ms, signal);
    }
  }

  /** What must be known before anything is written. */
  #problem(): string | undefined {
    return this.#discoveryProblem ?? this.#wds.problem() ?? this.#inventory.problem();
  }

  async #write(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#settle();
      if (!this.#isKnown()) continue;
      const { names, why } = this.#wds.waiting();
      this.#report(why);
      for (const name of this.#writer.pending()) if (!names.has(name)) await this.#writeOne(name);
    }
  }

  /** What was known before another Binding was written may no longer be known. */
  async #writeOne(name: string): Promise<void> {
    if (this.#isKnown() && !this.#wds.delays(name))
      await this.#writer.write(name, this.#grace.recent(), this.#stopping.signal);
  }

  /** Whether everything that all Bindings need is known now. */
  #isKnown(): boolean {
    if (this.#stopping.signal.aborted) return false;
    this.#wds.refresh();
    this.#inventory.refresh();
    const problem = this.#problem();
    if (problem !== undefined) {
      this.#report(problem);
      this.#grace.reset();
      return false;
    }
    // What is not served now may come back soon.
    this.#grace.note(new Set([...this.#wds.unserved(), ...this.#inventory.unserved()]));
    return true;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#endWait();
  }

  /** Returns some time after something has happened, so that changes are collected. */
  async #settle(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#endWait = resolve;
    });
    if (!this.#isWoken) await woken;
    await this.#options.sleep(this.#times.settleMs, this.#stopping.signal);
    // The following work does not see what happens from now on.
    this.#isWoken = false;
  }

  #report(problem: string | undefined): void {
    if (problem === this.#waitsFor) return;
    this.#waitsFor = problem;
    this.#options.onState?.(problem);
  }
}

/**
 * Keeps the Bindings of a WDS up to date with its BindingPolicies, without KubeStellar's controller (KubeStellar,
 * binding controller), until it is stopped. Never run it in a WDS in which that controller runs. Policies with the
 * finalizer of that controller are left to it. The resolver reads everything again when it starts. It retries API
 * servers that are down without limit.
 */
export function startBindingResolver(options: BindingResolverOptions): RunningResolver {
  return new Resolver(options);
}
