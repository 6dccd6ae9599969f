// What is wrong with the body of a request to the API. The others are in shared/api/messages.ts.

/** The client has disconnected, or has broken the rules of HTTP. */
export const BODY_CUT_OFF = 'the body of the request has ended early';
