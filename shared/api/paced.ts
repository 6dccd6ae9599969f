import type { StatusSource } from '#shared/ports/status-source.ts';

/** The part of a source that tells of changes. */
export type TellingSource = Pick<StatusSource, 'changes' | 'revision' | 'subscribe'>;

/** How much less often. */
export interface Pace {
  /** The time between two calls, in milliseconds. 0: every call is passed on. */
  readonly paceMs: number;
  /** How long what follows from the calls has taken in all, in milliseconds. */
  readonly spentMs: () => number;
}

/** What follows from the calls takes at most a quarter of the time, unless the time between two calls becomes too long. */
const SHARE = 4;
const MAX_PACE_MS = 10_000;

/**
 * A source that calls its subscribers less often: at once if there was no call for a time, and otherwise at the end of that time. So
 * changes that follow each other quickly are read together. If reading takes long, the time becomes longer.
 */
export function pacedSource(source: TellingSource, { paceMs, spentMs }: Pace): TellingSource {
  return {
    changes: (after, signal) => source.changes(after, signal),
    revision: (signal) => source.revision(signal),
    subscribe(listener) {
      if (paceMs === 0) return source.subscribe(listener);
      let pause: NodeJS.Timeout | undefined;
      let isDue = false;
      /** Waits until the time between two calls has passed, and looks again whether it is still long enough. */
      const wait = (waitedMs: number, spentBefore: number): void => {
        const spent = (spentMs() - spentBefore) * SHARE;
        const wanted = Math.max(paceMs, Math.min(spent, MAX_PACE_MS));
        if (wanted <= waitedMs) {
          pause = undefined;
          if (isDue) call();
          return;
        }
        pause = setTimeout(() => wait(wanted, spentBefore), wanted - waitedMs);
        pause.unref();
      };
      const call = (): void => {
        isDue = false;
        wait(0, spentMs());
        listener();
      };
      const leave = source.subscribe(() => {
        isDue = true;
        if (pause === undefined) call();
      });
      return () => {
        clearTimeout(pause);
        leave();
      };
    },
  };
}
