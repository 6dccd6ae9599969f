import { AppError, messageOf } from '#shared/errors.ts';

/** An error that is passed between threads. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  /** Set for an error with a Starfold error code. */
  readonly named?: { readonly code: string; readonly retryable: boolean };
}

/** A message of a thread to the main thread: that it has started, how its job has ended, or something else. */
export type FromThread<Result, Other = never> =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'failed'; readonly error: ErrorText }
  | { readonly type: 'other'; readonly message: Other };

/** An error with a Starfold error code that occurred in another thread. */
class RemoteError extends AppError {
  override readonly name: string;
  readonly code: string;
  readonly retryable: boolean;
  constructor({ name, message }: ErrorText, named: NonNullable<ErrorText['named']>) {
    super(message);
    this.name = name;
    this.code = named.code;
    this.retryable = named.retryable;
  }
}

/** An error as text, because its class differs in another thread. */
export function errorText(error: unknown): ErrorText {
  const name = error instanceof Error ? error.name : 'Error';
  const text = { name, message: messageOf(error) };
  if (!(error instanceof AppError)) return text;
  return { ...text, named: { code: error.code, retryable: error.retryable } };
}

/** The error that a text describes. An error with a Starfold error code keeps its code, and whether a retry helps. */
export function errorOf(text: ErrorText): Error {
  if (text.named !== undefined) return new RemoteError(text, text.named);
  return Object.assign(new Error(text.message), { name: text.name });
}
