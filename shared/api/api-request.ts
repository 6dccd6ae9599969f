/** Who sends a request (authentication.k8s.io/v1, UserInfo). */
export interface User {
  readonly username: string;
  /** `''` if it is not known. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The body of a request. It is read only where that matters, after it is known who sends it. */
export interface RequestBody {
  /** The header `Content-Type`. `''` if there is none. */
  readonly contentType: string;
  /**
   * Reads the whole body.
   *
   * @param maxBytes at most so many bytes are read
   * @throws StatusError 413 if it is larger, 408 if it does not come in time, 415 for an encoding that is not supported
   */
  bytes(maxBytes: number): Promise<Buffer>;
}

/** A request, without the technology by which it came. */
export interface ApiRequest {
  readonly method: string;
  /** The path as it was sent, with its escapes and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The header `Accept`. `''` if there is none. */
  readonly accept: string;
  /**
   * Who sends it. It is called only where that matters.
   *
   * @throws StatusError 401 if nobody known does; ApiUnavailableError if that cannot be found out
   */
  readonly authenticate: () => Promise<User>;
  /** The bearer token of the user. Absent if the user is known by something else, or if the server asks nobody who they are. */
  readonly token?: string;
  /** Absent if the request has none. */
  readonly body?: RequestBody;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Called with the error that the answer hides, if the client did not cause it. Default: that of the whole API. */
  readonly onError?: (error: unknown) => void;
}

/** An answer. */
export interface ApiAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body in pieces. The next piece is made when it is asked for, so a client that does not read costs nothing. If it throws
   * after the first piece, the answer is cut off.
   */
  readonly body: AsyncIterable<string>;
  /** Whether each piece must be sent at once, as those of a watch. */
  readonly isStream: boolean;
}

/** What answers requests. */
export interface ServedApi {
  /** Answers a request. Errors are answers, too. */
  handle(request: ApiRequest): Promise<ApiAnswer>;
  /** Ends every watch in good order, so that clients watch again. */
  close(): void;
}
