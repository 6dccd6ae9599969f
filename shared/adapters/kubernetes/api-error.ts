import { type JsonValue, member, parseJson } from '#shared/core/json.ts';
import {
  ApiConflictError,
  ApiForbiddenError,
  ApiInvalidError,
  ApiNotFoundError,
  ApiUnavailableError,
  AppError,
  ResourceExpiredError,
} from '#shared/errors.ts';

/** An error response of an API server. */
export interface Refusal {
  /** HTTP status code. */
  readonly code: number;
  /** The API server's own message. */
  readonly reason: string;
  readonly retryAfterSeconds?: number;
}

const MAX_REASON_CHARACTERS = 2000;

/** The maximum wait, whatever a server asks for. Node's timers accept 25 days at most, and a longer timer fires at once. */
const MAX_RETRY_AFTER_SECONDS = 300;

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Reads a `Status` object, in which API servers report failures. */
export function refusalOf(status: JsonValue | undefined, fallbackCode: number): Refusal {
  const code = member(status, 'code');
  const seconds = member(member(status, 'details'), 'retryAfterSeconds');
  const reason = text(member(status, 'message')) ?? text(member(status, 'reason'));
  return {
    code: typeof code === 'number' ? code : fallbackCode,
    reason: (reason ?? `HTTP ${fallbackCode}`).slice(0, MAX_REASON_CHARACTERS),
    ...(typeof seconds === 'number' && seconds > 0
      ? { retryAfterSeconds: Math.min(seconds, MAX_RETRY_AFTER_SECONDS) }
      : {}),
  };
}

function parsed(body: string): JsonValue | undefined {
  try {
    return parseJson(body);
  } catch {
    // Proxies and load balancers answer in HTML or plain text.
    return undefined;
  }
}

/** Reads the answer to a request that failed. A Retry-After header in seconds overrides the body's value. */
export function refusalOfResponse(
  code: number,
  body: string,
  retryAfter: string | undefined,
): Refusal {
  const status = parsed(body);
  const fromBody = refusalOf(status, code);
  const reason = status === undefined && body.trim() !== '' ? body.trim() : fromBody.reason;
  const seconds = Number(retryAfter);
  return {
    ...fromBody,
    code,
    reason: reason.slice(0, MAX_REASON_CHARACTERS),
    ...(retryAfter !== undefined && seconds >= 0
      ? { retryAfterSeconds: Math.min(seconds, MAX_RETRY_AFTER_SECONDS) }
      : {}),
  };
}

/** Translates an error response into an error of the port (`shared/ports/kubernetes-api.ts`). */
export function errorOfRefusal(operation: string, refusal: Refusal): AppError {
  const { code, reason, retryAfterSeconds } = refusal;
  if (code === 401 || code === 403)
    return new ApiForbiddenError(operation, reason, { unauthenticated: code === 401 });
  // For the caller of a list, a resource that cannot be listed has no objects.
  const isUnlistable = code === 405 && operation.startsWith('list ');
  if (code === 404 || isUnlistable) return new ApiNotFoundError(operation, reason);
  if (code === 409) return new ApiConflictError(operation, reason);
  if (code === 410) return new ResourceExpiredError(operation);
  // 408 and 429 ask for a retry. A redirect is not followed, and shows that the server is wrong or is being changed.
  const invalid = code >= 400 && code < 500 && code !== 408 && code !== 429;
  if (invalid) return new ApiInvalidError(operation, reason);
  return new ApiUnavailableError(operation, `${reason} (${code})`, {
    status: code,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Whether this adapter has already translated the error. */
export function isTranslated(error: unknown): boolean {
  return error instanceof AppError;
}

/** The error if there is no answer, or an incomplete one. */
export function unavailable(operation: string, reason: string, cause: unknown): AppError {
  return new ApiUnavailableError(operation, reason, { cause });
}

/** A short text with the reason why a connection failed. System errors may have a code and no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException; // Only system errors have a code.
  return error.message === '' ? (code ?? error.name) : error.message;
}
