/** Why a request is rejected, for its answer. The text contains the remedy. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** The HTTP status. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text);
    this.status = status;
    this.headers = headers;
  }
}
