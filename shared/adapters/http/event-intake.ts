/**
 * What the sender of events by HTTP and their receiver agree on: `POST /v1/events` with `Authorization: Bearer TOKEN` and
 * the JSON `{"messages": ["<body>", ...]}`, each body as `MessageQueue.send` takes it. 202: all of them are durable.
 */
export const EVENTS_PATH = '/v1/events';

/** The header of the answer 202 that names the state in which the messages were stored. */
export const STATE_HEADER = 'starfold-state';

/** So many messages a request holds at most, as one of SQS does. */
export const MAX_REQUEST_MESSAGES = 10;

/** So many bytes a request has at most, as it is and decompressed: ten messages of 1 MiB, and what stands around them. */
export const MAX_REQUEST_BYTES = 10 * 1024 * 1024 + 64 * 1024;

/** What a token must be, in words. */
export const TOKEN_RULE =
  'a token has at least 32 characters, letters, digits and punctuation of ASCII, no spaces (openssl rand -hex 32 makes one)';

/** Whether the text may be a token (RFC 6750, section 2.1, allows fewer characters; this is what a header can hold). */
export function isToken(text: string): boolean {
  return /^[!-~]{32,1024}$/.test(text);
}
