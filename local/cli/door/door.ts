import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** A request to the API. */
export interface DoorRequest {
  readonly method: 'GET' | 'POST';
  /** The path with its escapes, without the query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** The header `Accept`. Default: JSON. */
  readonly accept?: string;
  readonly body?: JsonObject;
  /** Ends the request, and the body of its answer. */
  readonly signal?: AbortSignal;
}

/** An answer of the API. Errors are answers, too. */
export interface DoorAnswer {
  readonly code: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body in pieces, as they come. If it is cut off, reading it throws {@link DoorUnavailableError}. */
  readonly body: AsyncIterable<string>;
}

/** A way to the API: live, or over a state file, a deployment's table, or files as `eval` takes them. */
export interface Door {
  /** For messages: `https://wds:6443`, `.starfold/state.sqlite`. */
  readonly name: string;
  /** What else a user can give the command to read without a server. Absent if this is such a door. */
  readonly others?: string;
  /** The namespace of the context. Absent if it names none. */
  readonly namespace?: string;
  /**
   * @throws DoorUnavailableError if there is no answer now; InputError if there will be none, such as without credentials
   */
  ask(request: DoorRequest): Promise<DoorAnswer>;
  close(): Promise<void>;
}

/** The API does not answer now. The message names the door, the reason and the remedy. */
export class DoorUnavailableError extends InputError {}
