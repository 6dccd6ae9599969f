import type { ApiClient } from './api-client.ts';
import { Poller } from './poller.ts';
import { ProblemError } from './problem.ts';
import { readObject } from './read-object.ts';
import type { ShownObject } from './shown-object.ts';
import { LOADING, type View, type ViewEvent, viewAfter } from './view.ts';

/** What is read, and by whom. */
export interface Watched {
  readonly client: ApiClient;
  readonly object: ShownObject;
}

async function readOnce(
  watched: Watched,
  tell: (event: ViewEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const reading = await readObject({
      ...watched,
      signal,
      onPart: (part) => tell({ type: 'part', reading: part }),
    });
    tell({ type: 'whole', reading, at: Date.now() });
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    const problem =
      error instanceof ProblemError ? error.problem : ({ type: 'failed', message } as const);
    tell({ type: 'failed', problem });
  }
}

function startPolling(watched: Watched, tell: (event: ViewEvent) => void): Poller {
  return new Poller({
    read: (signal) => readOnce(watched, (event) => signal.aborted || tell(event), signal),
    now: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  });
}

/**
 * Reads an object now and then, as long as the page is seen.
 *
 * @param revision the revision of the object that Argo CD shows: with another one, it is read at once
 * @returns what to show, and a function that reads now
 */
export function useView(watched: Watched, revision: string): readonly [View, () => void] {
  const [view, tell] = React.useReducer(viewAfter, LOADING);
  const poller = React.useRef<Poller>(undefined);
  React.useEffect(() => {
    const started = startPolling(watched, tell);
    poller.current = started;
    const look = (): void => started.setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      document.removeEventListener('visibilitychange', look);
      started.stop();
      tell({ type: 'reset' });
    };
  }, [watched]);
  const seen = React.useRef(revision);
  React.useEffect(() => {
    if (seen.current === revision) return;
    seen.current = revision;
    poller.current?.refresh();
  }, [revision]);
  return [view, () => poller.current?.refresh()];
}
