/**
 * What every answer by HTTP says to a browser, should one ask: nothing of it is kept, guessed at, framed, run, or read by
 * another site (OWASP, HTTP Security Response Headers). Names are in lower case, as Node and API Gateway have them.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const satisfies Readonly<Record<string, string>>;
