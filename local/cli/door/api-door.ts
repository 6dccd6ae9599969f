import { StatusApi } from '#shared/api/api.ts';
import type { ApiRequest } from '#shared/api/api-request.ts';
import { ANYBODY, OPEN_WDS } from '#shared/api/open-wds.ts';
import type { AnyResource } from '#shared/api/resources.ts';
import { requestTooLarge } from '#shared/api/status-error.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { AppError } from '#shared/errors.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { type Door, type DoorAnswer, type DoorRequest, DoorUnavailableError } from './door.ts';

/** What an API in this process is served from. */
export interface ApiDoorParts {
  readonly name: string;
  readonly source: StatusSource;
  /** Default: those of a WDS. */
  readonly resources?: readonly AnyResource[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Whether the source reports changes. */
  readonly watch: boolean;
  /** Closes what the source reads. */
  close(): void;
}

const NEVER = new AbortController().signal;

/** The body of a request. The API reads no more of it than a server does. */
function bodyOf({ body }: DoorRequest): Pick<ApiRequest, 'body'> {
  if (body === undefined) return {};
  const content = Buffer.from(stringifyJson(body));
  const bytes = async (maxBytes: number): Promise<Buffer> => {
    if (content.length > maxBytes) throw requestTooLarge(maxBytes);
    return content;
  };
  return { body: { contentType: 'application/json', bytes } };
}

/**
 * A door to the API in this process: the same API as that of a server. Whoever can read the source may read everything.
 *
 * An error that the request did not cause is thrown, because no server has a log in which it could be found.
 */
export function createApiDoor({ name, close, ...parts }: ApiDoorParts): Door {
  const api = new StatusApi({
    ...parts,
    wds: OPEN_WDS,
    now: parts.clock,
    onError: () => undefined,
  });
  const ask = async (request: DoorRequest): Promise<DoorAnswer> => {
    const { method, path, query = new URLSearchParams(), accept = '', signal = NEVER } = request;
    const faults: unknown[] = [];
    const authenticate = async () => ANYBODY;
    const onError = (error: unknown): void => void faults.push(error);
    const asked = {
      method,
      path,
      query,
      accept,
      authenticate,
      ...bodyOf(request),
      signal,
      onError,
    };
    const answer = await api.handle(asked);
    const [fault] = faults;
    if (fault === undefined) return answer;
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
