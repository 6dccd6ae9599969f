/** The answer to a request that cannot be served: a problem of RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The HTTP status. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** @param detail the fault, and the remedy */
  constructor(
    status: number,
    detail: string,
    { headers = {}, ...options }: ErrorOptions & Partial<Pick<Problem, 'headers'>> = {},
  ) {
    super(detail, options);
    this.status = status;
    this.headers = headers;
  }
}

/** The request is invalid. */
export function badRequest(detail: string, options?: ErrorOptions): Problem {
  return new Problem(400, detail, options);
}

/** Nothing with this name exists. */
export function notFound(detail: string): Problem {
  return new Problem(404, detail);
}
