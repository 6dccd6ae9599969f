/**
 * The headers of every HTTP answer, for browsers: an answer must not be cached, sniffed, framed, executed, or read by another
 * site (OWASP, HTTP Security Response Headers). Names are in lower case, as in Node and API Gateway.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const satisfies Readonly<Record<string, string>>;
