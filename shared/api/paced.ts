import type { StatusSource } from '#shared/ports/status-source.ts';

/** The part of a source that tells of changes. */
export type TellingSource = Pick<StatusSource, 'changes' | 'revision' | 'subscribe'>;

/**
 * A source that calls its subscribers less often: at once if there was no call for a time, and otherwise at the end of that time. So
 * changes that follow each other quickly are read together.
 *
 * @param paceMs the time between two calls. 0: every call is passed on
 */
export function pacedSource(source: TellingSource, paceMs: number): TellingSource {
  return {
    changes: (after, signal) => source.changes(after, signal),
    revision: (signal) => source.revision(signal),
    subscribe(listener) {
      if (paceMs === 0) return source.subscribe(listener);
      let pause: NodeJS.Timeout | undefined;
      let isDue = false;
      const call = (): void => {
        isDue = false;
        pause = setTimeout(() => {
          pause = undefined;
          if (isDue) call();
        }, paceMs);
        pause.unref();
        listener();
      };
      const end = source.subscribe(() => {
        isDue = true;
        if (pause === undefined) call();
      });
      return () => {
        clearTimeout(pause);
        end();
      };
    },
  };
}
