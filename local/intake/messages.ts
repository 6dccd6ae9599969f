import {
  EVENTS_PATH,
  MAX_REQUEST_BYTES,
  MAX_REQUEST_MESSAGES,
  TOKEN_RULE,
} from '#shared/adapters/http/event-intake.ts';
import { internalError } from '#shared/adapters/http/messages.ts';
import { MAX_MESSAGE_BYTES } from '#shared/ports/message-queue.ts';

// What senders of events are answered, and what is wrong with the address, the certificate, the key and the tokens file of their
// receiver.

const AGAIN = 'send it again';

/** Requests beyond those that may wait. */
export const TOO_MANY = `too many requests at once: ${AGAIN}`;

/** A request that would wait for too long. */
export const TOO_MANY_OF_TOKEN = `too many requests at once of this token: ${AGAIN}`;

/** A request whose slot is revoked. */
export const TURN_OVER = `others wait, and the time of this request is over: ${AGAIN}`;

/** `fault` says how full the backlog of a sender is. */
export function sendLater(fault: string): string {
  return `${fault}: ${AGAIN} later; if this continues, have its forwarder select fewer objects`;
}

/** The queue does not take messages now. The sender retries. */
export const QUEUE_UNAVAILABLE = 'the queue is not available';

/** The receiver does not take messages yet. */
export const STARTING = 'it is starting';

/** An error that neither the sender nor the queue caused. */
export const INTERNAL_ERROR = internalError('the receiver');

/** A path that is not served. */
export const OTHER_PATH = `post events to ${EVENTS_PATH}`;

/** A method that a path does not have. */
export function allowedMethods(methods: string): string {
  return `only ${methods}`;
}

/** A request without a token that is known. */
export const NO_TOKEN = 'there is no token, or it is not in the tokens file';

/** A body of another form. */
export const REQUEST_FORM = `send {"messages": ["<body>", ...]} with 1 to ${MAX_REQUEST_MESSAGES} texts that are not empty`;

/** A body that is too long. */
export const LARGE_REQUEST = `a request has at most ${MAX_REQUEST_BYTES} bytes, also decompressed`;

/** One of the messages is too long. */
export function largeMessage(index: number): string {
  return `messages[${index}] has more than ${MAX_MESSAGE_BYTES} bytes of UTF-8`;
}

/** A sender that holds a slot for too long. */
export function slowBody(bytesPerSecond: number): string {
  return `the body arrives with fewer than ${bytesPerSecond} bytes a second`;
}

/** A content-encoding of a body. */
export function unsupportedEncoding(encoding: string): string {
  return `content-encoding ${encoding}: only gzip is supported`;
}

/** `code` is that of the error of decompression. */
export function notGzip(code: string | undefined): string {
  return `the body is not gzip, as content-encoding says (${code})`;
}

/** The bytes of a body. */
export const NOT_UTF8 = 'the body is not UTF-8';

const ADDRESS_FAULTS: Readonly<Record<string, (option: string) => string>> = {
  EADDRINUSE: (option) =>
    `the port is in use: end the process that uses it, or choose another with ${option}`,
  EACCES: (option) => `this process may not use the port: choose one above 1023 with ${option}`,
  EADDRNOTAVAIL: (option) => `this machine has no such address: give one of its own with ${option}`,
  ENOTFOUND: (option) => `there is no such host: give an address of this machine with ${option}`,
};

/**
 * An address where the process cannot listen.
 *
 * @param option the command-line option that sets the address
 * @param error the error of the system; its message is shown if its code is not a known one
 */
export function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  option: string,
  { code, message = '' }: { readonly code: string; readonly message?: string },
): string {
  const fault =
    ADDRESS_FAULTS[code]?.(option) ?? `${message}: choose another address with ${option}`;
  return `cannot listen on ${host}:${port} (${code}): ${fault}`;
}

/** The fault of a file, behind the option that names it. */
export function fileFault(option: string, file: string, fault: string): string {
  return `${option} ${file}: ${fault}`;
}

/** A certificate or a key. `reason` is OpenSSL's. */
export function notPem(reason: string): string {
  return `it cannot be used (${reason}): give a file in PEM without a passphrase`;
}

/** A key. */
export function notKeyOf(certFile: string): string {
  return `it is not the key of the certificate ${certFile}: give a certificate and its key`;
}

/** Changed files have a fault. */
export function formerCertificate(fault: string): string {
  return `${fault}; until then, the former certificate is used`;
}

/** The changed tokens file has a fault. */
export function formerTokens(fault: string): string {
  return `${fault}; until then, the former tokens are used`;
}

/** `place` is the tokens file, and perhaps the line, and the source that is written there. */
export function tokensFileFault(place: string, fault: string): string {
  return `tokens file ${place}: ${fault}`;
}

const TOKENS_FORM =
  'write a line "wec/NAME: TOKEN" for each WEC, or "wec/*: TOKEN" for the forwarder of an ITS';

/** The faults of a tokens file. They follow its location and, for those of an entry, its source. */
export const TOKEN_FAULTS = {
  duplicate: 'the name occurs a second time: remove one of the two',
  notYaml: (code: string): string =>
    `it is not valid YAML (the parser reports ${code}): ${TOKENS_FORM}`,
  noSource: `it names no source: ${TOKENS_FORM}`,
  notAString: `a name is not a string: ${TOKENS_FORM}`,
  notASource: 'the name is not a source: write wec/NAME, wds/NAME or wec/*',
  otherWds: (wds: string): string =>
    `is not the WDS of this stack, wds/${wds}: its forwarder needs a stack of its own`,
  fleet:
    'is a management cluster of Fleet, which this stack watches itself: remove the line, and give its context as --fleet',
  shared: (source: string): string => `it has the token of ${source}: give each a token of its own`,
  noToken: `it has no token: ${TOKEN_RULE}`,
  tokenNotAString: 'its token is not a string: put it in quotes',
  badToken: `its token cannot be used: ${TOKEN_RULE}`,
} as const;
