import type { EventContent } from '#shared/core/event.ts';
import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';

/** How long an object rests: the first time, and each further time if it changed while it rested. */
const REST_MS = [1_000, 2_000, 4_000] as const;

/** StatusCollectors, Bindings and their policies, by their resource in the group of KubeStellar. */
const CONTROLS = new Set(['bindings', 'bindingpolicies', 'statuscollectors']);

/**
 * Whether an event of an object of a WDS leads to work for many objects: it is an object that others depend on, or it comes or goes. A
 * user who changes such an object again and again would fill the one line in which the events of all users of the WDS are recorded.
 */
export function isRested(content: EventContent): boolean {
  if (content.type !== 'wds-object') return false;
  const { subject, first, object } = content;
  const isControl = subject.group === CONTROL_GROUP && CONTROLS.has(subject.resource);
  return isControl || first || object === undefined;
}

/**
 * The objects that rest, because one of their events was sent a short time ago. An object that changes while it rests has a longer
 * rest next, as a container that crashes again has a longer back-off in Kubernetes.
 */
export class ObjectRests {
  readonly #clock: () => number;
  /** The beginning of each rest by its length, the oldest first. An object rests once. */
  readonly #rests = REST_MS.map((ms) => ({ ms, since: new Map<string, number>() }));

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** @param step which rest it is, as {@link next} says of the event that was sent */
  begin(key: string, step: number): void {
    // An event that was sent before the end of a snapshot is followed by another rest.
    for (const { since } of this.#rests) since.delete(key);
    this.#rests[step]?.since.set(key, this.#clock());
  }

  has(key: string): boolean {
    return this.#rests.some(({ since }) => since.has(key));
  }

  /** Which rest follows an event that changes the object now. */
  next(key: string): number {
    const step = this.#rests.findIndex(({ since }) => since.has(key));
    return Math.min(step + 1, REST_MS.length - 1);
  }

  /** Forgets the rests that have ended. If the clock was set back, no rest is longer than it may be. */
  forgetEnded(): void {
    const now = this.#clock();
    for (const { ms, since } of this.#rests)
      for (const [key, begun] of since) {
        if (begun <= now && now < begun + ms) break;
        since.delete(key);
      }
  }

  /** The milliseconds until a rest ends. `undefined`: nothing rests. */
  untilNextEnd(): number | undefined {
    const ends = this.#rests.flatMap(({ ms, since }) => {
      const [begun] = since.values();
      return begun === undefined ? [] : [begun + ms];
    });
    return ends.length === 0 ? undefined : Math.min(...ends) - this.#clock();
  }
}
