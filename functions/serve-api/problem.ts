/** What a request is answered with that cannot be served as it is: a problem of RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** Of HTTP. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** @param detail what is wrong, and what to do */
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

/** The request is wrong. */
export function badRequest(detail: string, options?: ErrorOptions): Problem {
  return new Problem(400, detail, options);
}

/** There is nothing of that name. */
export function notFound(detail: string): Problem {
  return new Problem(404, detail);
}
