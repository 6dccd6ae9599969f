import { addressFault, allowBy, type KubeConfigAllowance } from './kube-config-allowance.ts';

/** A value that may be used, in the one spelling that all programs read alike, or why it may not. */
export type Checked =
  | { readonly value: string; readonly fault?: undefined }
  | { readonly fault: string };

function parsedUrl(text: string): URL | undefined {
  return URL.parse(text) ?? undefined;
}

/** What of a server's URL would go elsewhere than it seems to, or say who asks. None of it is quoted. */
function urlFault(url: URL | undefined, text: string): string | undefined {
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'server is no address of an API server: write it as https://host:port';
  if (url.username !== '' || url.password !== '')
    return 'server has a user name or password in it: put credentials under users';
  return /[?#]/.test(text)
    ? 'server has a query or a fragment: write it as https://host:port'
    : undefined;
}

/**
 * Looks at `clusters[].cluster.server`. Host names are looked at when they are resolved, not here.
 *
 * @returns the URL as it will be connected to, without a slash at its end: `https://2130706433` becomes
 *   `https://127.0.0.1` before anybody looks.
 */
export function checkServer(text: string, allowance: KubeConfigAllowance): Checked {
  const url = parsedUrl(text);
  const fault = urlFault(url, text);
  if (fault !== undefined || url === undefined) return { fault: fault ?? '' };
  if (url.protocol === 'http:' && allowance.plainHttp !== true)
    return {
      fault: `server is without TLS (${url.origin}): use https, or ${allowBy('plainHttp')}`,
    };
  const local = addressFault(url.hostname.replace(/^\[|\]$/g, ''), allowance);
  if (local !== undefined) return { fault: `server is ${local}` };
  return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

/** Scheme, host and port: what of a proxy's URL the settings have to name. */
function proxyPlace({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** Looks at `clusters[].cluster.proxy-url`: it must be the proxy that the settings name; it may have a password. */
export function checkProxy(text: string, allowance: KubeConfigAllowance): Checked {
  const url = parsedUrl(text);
  if (url === undefined || url.host === '')
    return { fault: 'proxy-url is no URL: write it as http://host:port, or leave it out' };
  const allowed = allowance.proxy === undefined ? undefined : parsedUrl(allowance.proxy);
  const place = proxyPlace(url);
  if (allowed !== undefined && proxyPlace(allowed) === place) return { value: url.href };
  return {
    fault: `proxy-url names the proxy ${place}: leave it out, or ${allowBy('proxy', place)}`,
  };
}
