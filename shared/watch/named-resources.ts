import { untilAborted } from '#shared/concurrency.ts';
import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import { messageOf } from '#shared/errors.ts';
import type { Discovery, Resource } from '#shared/ports/kubernetes-api.ts';
import { backoffMs, LINGER_MS } from './backoff.ts';
import type { Reflection } from './reflection.ts';
import { type FollowDeps, Reflectors } from './reflectors.ts';
import { type Choice, chooseServed } from './served-versions.ts';

/**
 * The maximum number of resources that are followed because they are named. This is more than most clusters serve, and each
 * resource needs a watch.
 */
export const MAX_NAMED_RESOURCES = 500;

/** The interval between two changes of the followed resources. */
const GATHER_MS = 1_000;

/** The interval of discovery if no resource is missing. */
const REFRESH_MS = 5 * 60_000;

/** The time until the next discovery if a resource is missing. It doubles while the answer stays the same. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30_000;

/**
 * The number of answers of discovery that must leave a resource out before a snapshot counts it as empty. A server that is
 * starting may answer incompletely.
 */
const ANSWERS_BEFORE_EMPTY = 2;

const MAX_SHOWN = 5;

/** The names of resources, and the receiver of their objects. */
export interface NamedOptions {
  /** The named resources, in any version and possibly several times. `undefined`: they are not known yet. */
  readonly names: () => Iterable<Resource> | undefined;
  /** The resources that are followed whether or not they are named. */
  readonly always: readonly Resource[];
  readonly onReflection: (resource: Resource, reflection: Reflection) => void;
  /**
   * If set, a resource that is no longer named is followed for some minutes. Set it if each of its objects would be reported as
   * deleted, and reported again when the resource is named once more.
   */
  readonly lingers?: true;
}

function textOf({ resources, unanswered }: Discovery): string {
  const served = resources.map((one) => `${resourceName(one)} ${one.otherVersions ?? ''}`);
  return [...served.sort(), '', ...unanswered].join('\n');
}

/** Why a resource is not followed as it is named. All but the last follow its name and a colon. */
export const NAMED_FAULTS = {
  unanswered: (group: string): string =>
    `the API server of ${group} does not answer: see kubectl get apiservices`,
  beyond: `only ${MAX_NAMED_RESOURCES} resources are followed: name fewer`,
  /** `followed` is the resource in the version that the cluster serves. */
  misnamed: (followed: string): string => `not served in this version, and followed as ${followed}`,
  unserved: 'not served by the cluster: correct the name, or install its definition',
  more: (count: number): string => `and ${count} more resources that are named`,
} as const;

function problemsOf(choice: Choice): readonly string[] {
  const { unserved, unknown, misnamed, beyond, followed } = choice;
  const instead = new Map(followed.map((one) => [groupResource(one), resourceName(one)]));
  const causes: readonly (readonly [readonly Resource[], (one: Resource) => string])[] = [
    [unknown, ({ group }) => NAMED_FAULTS.unanswered(group)],
    [beyond, () => NAMED_FAULTS.beyond],
    [misnamed, (one) => NAMED_FAULTS.misnamed(String(instead.get(groupResource(one))))],
    [unserved, () => NAMED_FAULTS.unserved],
  ];
  const count = causes.reduce((sum, [resources]) => sum + resources.length, 0);
  const shown = causes.flatMap(([resources, text]) =>
    resources.slice(0, MAX_SHOWN).map((one) => `${resourceName(one)} is named: ${text(one)}`),
  );
  const more = count - Math.min(shown.length, MAX_SHOWN);
  return [...shown.slice(0, MAX_SHOWN), ...(more > 0 ? [NAMED_FAULTS.more(more)] : [])];
}

/**
 * Follows the named resources that the cluster serves, each in one version that the cluster serves. Resources that the cluster
 * does not serve need no requests of their own: discovery reads all resources at once, and is repeated from time to time. Names
 * may come and go at any rate: the followed resources change once a second, in place.
 */
export class NamedResources {
  readonly #deps: FollowDeps;
  readonly #options: NamedOptions;
  readonly #always: ReadonlySet<string>;
  readonly reflectors: Reflectors;
  #signal = new AbortController().signal;
  #discovery: Discovery | undefined;
  #answers = 0;
  /** The number of discoveries in a row that found nothing new. */
  #looks = 0;
  #waking = new AbortController();
  #error: string | undefined;
  #choice: Choice = { followed: [], unserved: [], unknown: [], misnamed: [], beyond: [] };
  #problems: readonly string[] = [];
  /** The resources to follow at the time when they were first known. */
  #first: ReadonlySet<string> | undefined;
  /** Resources that are no longer named but are still followed for some time. */
  readonly #lingering = new Map<string, Resource>();
  #resting = false;
  #changed = false;

  constructor(deps: FollowDeps, options: NamedOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#always = new Set(options.always.map(groupResource));
    const onProgress = (): void => {
      if (this.#isMissing()) this.#waking.abort();
      deps.onProgress();
    };
    this.reflectors = new Reflectors({ ...deps, onProgress }, options.onReflection);
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const resource of this.#options.always) this.reflectors.follow(resource);
    await Promise.all([this.#look(signal), untilAborted(signal)]);
    await this.reflectors.stop();
  }

  /** Reports that the names may have changed. */
  change(): void {
    if (this.#resting) {
      this.#changed = true;
      return;
    }
    if (!this.#follow()) return;
    this.#resting = true;
    void this.#rest();
  }

  /** Reports that the cluster may serve other resources soon, because a definition has changed. */
  expect(): void {
    this.#looks = 0;
    if (this.#isMissing()) this.#waking.abort();
  }

  /**
   * Whether every followed resource has been reported, and every resource that was named first has been looked up. A resource
   * that is named later was not reported before. So no snapshot waits for its first listing, which may never succeed.
   */
  complete(): boolean {
    const first = this.#first;
    return first !== undefined && this.reflectors.synced((one) => !first.has(groupResource(one)));
  }

  /** The reason why the resources that the cluster serves are not known, if so. */
  error(): string | undefined {
    return this.#error;
  }

  /** Resources that are named but not followed as named, with the remedy. At most a few. */
  problems(): readonly string[] {
    const unread = this.reflectors
      .entries()
      .flatMap(([resource, { phase, error = '' }]) =>
        phase === 'waiting' && !this.#always.has(groupResource(resource))
          ? [`${resourceName(resource)} is named: cannot be listed: ${error}`]
          : [],
      );
    return [...this.#problems, ...unread.slice(0, MAX_SHOWN)];
  }

  async #rest(): Promise<void> {
    await this.#deps.sleep(GATHER_MS, this.#signal);
    this.#resting = false;
    if (!this.#changed || this.#signal.aborted) return;
    this.#changed = false;
    this.change();
  }

  async #look(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const discovery = await this.#deps.api.discover(signal);
        failures = 0;
        this.#learn(discovery);
        await this.#untilNextLook(signal);
      } catch (error) {
        failures += 1;
        this.#error = messageOf(error);
        this.#deps.onProgress();
        await this.#deps.sleep(backoffMs(failures, this.#deps.random), signal);
      }
    }
  }

  #learn(discovery: Discovery): void {
    if (this.#discovery === undefined || textOf(this.#discovery) !== textOf(discovery))
      this.#looks = 0;
    this.#discovery = discovery;
    this.#answers += 1;
    this.#error = undefined;
    this.#follow();
  }

  /**
   * Waits until the next discovery. If resources that are not served are named repeatedly, this causes no more discoveries than
   * if they are named once.
   */
  async #untilNextLook(signal: AbortSignal): Promise<void> {
    if (!this.#isMissing()) {
      const waking = new AbortController();
      this.#waking = waking;
      await this.#deps.sleep(REFRESH_MS, AbortSignal.any([signal, waking.signal]));
      if (!waking.signal.aborted) {
        this.#looks = 0;
        return;
      }
    }
    const wait = Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** Math.min(this.#looks, 16));
    this.#looks += 1;
    await this.#deps.sleep(wait, signal);
  }

  /** Whether another answer of discovery may change the followed resources. */
  #isMissing(): boolean {
    const { unserved, unknown } = this.#choice;
    return (
      unserved.length + unknown.length > 0 ||
      this.reflectors
        .entries()
        .some(
          ([resource, { phase }]) =>
            (phase === 'waiting' || phase === 'not-served') &&
            !this.#always.has(groupResource(resource)),
        )
    );
  }

  /** Follows the named resources. `false`: they are not known yet. */
  #follow(): boolean {
    const names = this.#options.names();
    const discovery = this.#discovery;
    if (names === undefined || discovery === undefined) return false;
    const others = [...names].filter((resource) => !this.#always.has(groupResource(resource)));
    const named = new Map(others.map((resource) => [resourceName(resource), resource])).values();
    const followed = this.reflectors
      .entries()
      .map(([resource, { unserved = false }]) => ({ resource, denied: unserved }));
    const choice = chooseServed(named, followed, { discovery, max: MAX_NAMED_RESOURCES });
    this.#choice = choice;
    this.#problems = problemsOf(choice);
    // The names may be arbitrary: a resource that may not be read must not delay others.
    const kept = this.#linger(new Set(others.map(groupResource)));
    const room = Math.max(MAX_NAMED_RESOURCES - choice.followed.length, 0);
    this.reflectors.followExactly(
      [...choice.followed, ...kept.slice(0, room), ...this.#options.always],
      { optional: true },
    );
    if (this.#isKnown(choice))
      this.#first ??= new Set([...choice.followed, ...this.#options.always].map(groupResource));
    if (this.#isMissing()) this.#waking.abort();
    this.#deps.onProgress();
    return true;
  }

  /** The resources that are still followed for some time although they are no longer named. */
  #linger(named: ReadonlySet<string>): readonly Resource[] {
    if (this.#options.lingers !== true) return [];
    for (const key of named) this.#lingering.delete(key);
    for (const [resource] of this.reflectors.entries()) {
      const key = groupResource(resource);
      if (named.has(key) || this.#always.has(key) || this.#lingering.has(key)) continue;
      const entry = { ...resource };
      this.#lingering.set(key, entry);
      void this.#letGo(key, entry);
    }
    return [...this.#lingering.values()];
  }

  async #letGo(key: string, entry: Resource): Promise<void> {
    await this.#deps.sleep(LINGER_MS, this.#signal);
    if (this.#signal.aborted || this.#lingering.get(key) !== entry) return;
    this.#lingering.delete(key);
    this.reflectors.unfollow(entry);
  }

  #isKnown({ unserved, unknown }: Choice): boolean {
    return unknown.length === 0 && (unserved.length === 0 || this.#answers >= ANSWERS_BEFORE_EMPTY);
  }
}
