import { CommanderError } from 'commander';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { AppError } from '#shared/errors.ts';
import { AN_ADDRESS, AWS_FAULTS, awsRejects, THIS_ACTION, YOUR_CREDENTIALS } from './messages.ts';

/** An error of the SDK or of the system. Both have more information than their messages. */
interface Fault extends Error {
  /** An error code of the system, such as `ENOTFOUND`. */
  readonly code?: unknown;
  readonly hostname?: unknown;
  readonly address?: unknown;
  /** A text that is not a URL. */
  readonly input?: unknown;
  /** Present on every error that the SDK throws for a request. */
  readonly $metadata?: unknown;
}

type Explain = (fault: Fault) => string;

/** IAM User Guide, "Troubleshoot access denied error messages". */
const DENIED_ACTION = /perform: ([\w-]+:\w+)/;
const DENIED_USER = /User: (\S+)/;

function explainDenial({ message }: Fault): string {
  const [, action = THIS_ACTION] = DENIED_ACTION.exec(message) ?? [];
  const [, user = YOUR_CREDENTIALS] = DENIED_USER.exec(message) ?? [];
  return AWS_FAULTS.denied(action, user);
}

function explainSilence({ hostname, address, code, name }: Fault): string {
  const host = hostname ?? address ?? 'AWS';
  return AWS_FAULTS.silent(String(host), String(code ?? name));
}

function statusText(metadata: unknown): string {
  const status = Object(metadata).httpStatusCode;
  return typeof status === 'number' ? ` (HTTP ${status})` : '';
}

/** In the order of the checks. Each is matched against the name, the system's code, or the message. */
const BY_NAME: readonly (readonly [name: RegExp, explain: Explain])[] = [
  [/^(Credentials|Token)ProviderError$/, ({ message }) => AWS_FAULTS.noCredentials(message)],
  [/^(ExpiredToken|RequestExpired)/, () => AWS_FAULTS.expired],
  [
    /^(InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId|AuthFailure|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken)/,
    ({ name }) => AWS_FAULTS.notAccepted(name),
  ],
  [/^(AccessDenied|AuthorizationError|UnauthorizedOperation|Forbidden)/, explainDenial],
  [/^(Throttl|TooManyRequests|RequestLimitExceeded|SlowDown)/, () => AWS_FAULTS.throttled],
  [
    /^ERR_INVALID_URL$/,
    ({ input }) => AWS_FAULTS.noUrl(typeof input === 'string' ? JSON.stringify(input) : AN_ADDRESS),
  ],
  [/^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|TimeoutError$)/, explainSilence],
];

const BY_MESSAGE: readonly (readonly [message: RegExp, explain: Explain])[] = [
  [/^Region is missing|region=""/, () => AWS_FAULTS.noRegion],
  [
    // The SDK's names for an answer that is not in the form of the AWS APIs.
    /^Unknown(Error)?$|XML parse error|Deserialization error/,
    ({ $metadata }) => AWS_FAULTS.notAws(statusText($metadata)),
  ],
  [/^Region not accepted/, () => AWS_FAULTS.unknownRegion],
];

function isFault(error: unknown): error is Fault {
  return error instanceof Error;
}

function explainOne(fault: Fault): string | undefined {
  const { name, message } = fault;
  const code = typeof fault.code === 'string' ? fault.code : '';
  const found =
    BY_NAME.find(([pattern]) => pattern.test(name) || pattern.test(code)) ??
    BY_MESSAGE.find(([pattern]) => pattern.test(message));
  return found?.[1](fault);
}

/** An error and its causes, the outermost first. */
function chainOf(error: unknown): readonly Fault[] {
  const chain: Fault[] = [];
  for (let at = error; isFault(at); at = at.cause) chain.push(at);
  return chain;
}

/**
 * The problem between the operator and AWS, and the remedy, in one line without secrets. `undefined` for any other
 * error, which is a bug of the program.
 */
export function explainFault(error: unknown): string | undefined {
  const chain = chainOf(error);
  for (const fault of chain) {
    const explained = explainOne(fault);
    if (explained !== undefined) return explained;
  }
  const [outermost] = chain;
  if (outermost instanceof AppError || outermost instanceof InputError) return outermost.message;
  const rejection = chain.find(({ $metadata }) => $metadata !== undefined);
  return rejection && awsRejects(rejection.name, rejection.message);
}

/**
 * Runs a command. A problem with AWS ends it like invalid input, with one line and no stack.
 *
 * @throws InputError, UsageError and CommanderError; anything else is a bug of the program
 */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExplained = error instanceof UsageError || error instanceof CommanderError;
    const text = isExplained ? undefined : explainFault(error);
    if (text === undefined || error instanceof InputError) throw error;
    throw new InputError(text, { cause: error });
  }
}
