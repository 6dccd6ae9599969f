import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { User } from '#shared/api/api-request.ts';
import type { FrontProxy } from './cluster-authorities.ts';

/** The certificate of the client of a request, if it is valid and one of the server's authorities has issued it. */
function certificateOf({ socket }: IncomingMessage): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  return socket.getPeerX509Certificate();
}

/** Whether one of the certificates in a PEM text has issued a certificate. */
function isIssuedBy(certificate: X509Certificate, authorities: string): boolean {
  const texts =
    authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return texts.some((text) => {
    const authority = new X509Certificate(text);
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
}

/** The values of an attribute of the subject, such as `CN` or `O`. A value may contain what separates values elsewhere. */
function subjectValues(request: IncomingMessage, attribute: 'CN' | 'O'): readonly string[] {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  // Node gives a list if there are several.
  const value = subject?.[attribute] as string | readonly string[] | undefined;
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/**
 * The user of a client's certificate: the common name, and the organizations as groups (Kubernetes, "X509 client certificates").
 * Undefined if the client has no certificate of this authority.
 *
 * @param authority PEM
 */
export function certificateUser(request: IncomingMessage, authority: string): User | undefined {
  const certificate = certificateOf(request);
  if (certificate === undefined || !isIssuedBy(certificate, authority)) return undefined;
  const [username] = subjectValues(request, 'CN');
  if (username === undefined) return undefined;
  const groups = [...subjectValues(request, 'O'), 'system:authenticated'];
  return { username, uid: '', groups, extra: {} };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isOfProxy(request: IncomingMessage, { ca, allowedNames }: FrontProxy): boolean {
  const certificate = certificateOf(request);
  if (certificate === undefined || !isIssuedBy(certificate, ca)) return false;
  const names = subjectValues(request, 'CN');
  return allowedNames.length === 0 || names.some((name) => allowedNames.includes(name));
}

function extraOf(
  { headersDistinct }: IncomingMessage,
  { extraPrefixes }: FrontProxy,
): User['extra'] {
  const entries = Object.entries(headersDistinct).flatMap(([name, values = []]) => {
    const prefix = extraPrefixes.find((one) => name.startsWith(one));
    return prefix === undefined ? [] : [[decoded(name.slice(prefix.length)), values] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * The user for whom the API server speaks. Undefined if the client is not its front proxy, or names nobody. Repeated headers are
 * not joined, because the name of a group may have a comma.
 */
export function frontProxyUser(request: IncomingMessage, proxy: FrontProxy): User | undefined {
  if (!isOfProxy(request, proxy)) return undefined;
  const { headersDistinct } = request;
  const values = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => headersDistinct[name] ?? []);
  const [username] = values(proxy.usernameHeaders);
  if (username === undefined || username === '') return undefined;
  return {
    username,
    uid: values(proxy.uidHeaders)[0] ?? '',
    groups: values(proxy.groupHeaders),
    extra: extraOf(request, proxy),
  };
}
