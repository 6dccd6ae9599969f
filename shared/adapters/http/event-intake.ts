/**
 * The protocol between the sender and the receiver of events over HTTP. The request is `POST /v1/events` with `Authorization:
 * Bearer TOKEN` and the JSON `{"messages": ["<body>", ...]}`. Each body is one that `MessageQueue.send` accepts. The answer 202
 * means that all messages are durable.
 */
export const EVENTS_PATH = '/v1/events';

/** The header of the answer 202 that identifies the state in which the messages were stored. */
export const STATE_HEADER = 'starfold-state';

/** The maximum number of messages in a request, as in SQS. */
export const MAX_REQUEST_MESSAGES = 10;

/**
 * The maximum number of bytes in a request, before and after decompression: ten messages of 1 MiB, and the JSON around them.
 */
export const MAX_REQUEST_BYTES = 10 * 1024 * 1024 + 64 * 1024;

/** The rule for a token, in words. */
export const TOKEN_RULE =
  'a token has at least 32 ASCII letters, digits and punctuation characters, no spaces (openssl rand -hex 32 makes one)';

/**
 * Whether a text can be a token. RFC 6750, section 2.1, allows fewer characters; these are the ones that a header can contain.
 */
export function isToken(text: string): boolean {
  return /^[!-~]{32,1024}$/.test(text);
}
