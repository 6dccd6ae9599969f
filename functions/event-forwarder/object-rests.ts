import type { EventContent } from '#shared/core/event.ts';
import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';

const REST_MS = 1_000;

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

/** The objects that rest, because one of their events was sent within the last second. */
export class ObjectRests {
  readonly #clock: () => number;
  /** The beginning of each rest, the oldest first. */
  readonly #since = new Map<string, number>();

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  begin(key: string): void {
    // An event that was sent before the end of a snapshot is followed by another rest.
    this.#since.delete(key);
    this.#since.set(key, this.#clock());
  }

  has(key: string): boolean {
    return this.#since.has(key);
  }

  /** Forgets the rests that have ended. If the clock was set back, no rest is longer than it may be. */
  forgetEnded(): void {
    const now = this.#clock();
    for (const [key, since] of this.#since) {
      if (since <= now && now < since + REST_MS) return;
      this.#since.delete(key);
    }
  }

  /** The milliseconds until a rest ends. `undefined`: nothing rests. */
  untilNextEnd(): number | undefined {
    const [since] = this.#since.values();
    return since === undefined ? undefined : since + REST_MS - this.#clock();
  }
}
