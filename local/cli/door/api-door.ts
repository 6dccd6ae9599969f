import { StatusApi } from '#shared/api/api.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import { AppError } from '#shared/errors.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { type Door, type DoorAnswer, type DoorRequest, DoorUnavailableError } from './door.ts';

/** What an API in this process is served from. */
export interface ApiDoorParts {
  readonly name: string;
  readonly source: StatusSource;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Whether the source tells of changes. */
  readonly watch: boolean;
  /** Closes what the source reads. */
  close(): void;
}

const SERVER_ERROR = 500;
const NEVER = new AbortController().signal;

/**
 * A door to the API in this process: the same API as that of a server. Whoever can read the source may read everything.
 *
 * An error that the request did not cause is thrown, because no server has a log in which it could be found.
 */
export function createApiDoor({ name, source, clock, watch, close }: ApiDoorParts): Door {
  let fault: unknown;
  const api = new StatusApi({
    source,
    wds: OPEN_WDS,
    now: clock,
    watch,
    onError: (error) => {
      fault = error;
    },
  });
  const ask = async (request: DoorRequest): Promise<DoorAnswer> => {
    const { method, path, query = new URLSearchParams(), accept = '', signal = NEVER } = request;
    fault = undefined;
    const authenticate = async () => ANYBODY;
    const answer = await api.handle({ method, path, query, accept, authenticate, signal });
    if (answer.code < SERVER_ERROR || fault === undefined) return answer;
    if (fault instanceof AppError && fault.retryable)
      throw new DoorUnavailableError(fault.message, { cause: fault });
    throw fault;
  };
  return {
    name,
    ask,
    close: async () => {
      api.close();
      close();
    },
  };
}
