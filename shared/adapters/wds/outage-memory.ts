/** Remembers that a server does not answer, so that not every call waits to learn it. */
export interface OutageMemory {
  /**
   * Does the work, or fails at once with what {@link OutageRules.outageOf} made of an outage a moment ago.
   *
   * @param signal by which the caller ends the work: what fails then says nothing of the server.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** What counts as an outage, and for how long. */
export interface OutageRules {
  /** The error by which calls fail during the outage that an error tells of; `undefined`: the server has answered. */
  readonly outageOf: (error: unknown) => Error | undefined;
  /** How long calls fail at once. After that one of them finds out how it stands, while the others still fail. */
  readonly pauseMs: number;
  /** Milliseconds, from any beginning. */
  readonly clock: () => number;
}

interface Outage {
  readonly error: Error;
  readonly since: number;
}

/** The memory of one server's outages, empty at first. */
export function createOutageMemory({ outageOf, pauseMs, clock }: OutageRules): OutageMemory {
  let outage: Outage | undefined;
  let probing = false;

  const noted = async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      const result = await work();
      outage = undefined;
      return result;
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      const error = outageOf(thrown);
      outage = error === undefined ? undefined : { error, since: clock() };
      throw thrown;
    }
  };

  return {
    async run(work, signal) {
      if (outage === undefined) return noted(work, signal);
      if (probing || clock() - outage.since < pauseMs) throw outage.error;
      probing = true;
      try {
        return await noted(work, signal);
      } finally {
        probing = false;
      }
    },
  };
}
