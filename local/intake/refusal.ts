/** Why a request is not taken: its answer. The text says what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Of HTTP. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text);
    this.status = status;
    this.headers = headers;
  }
}
