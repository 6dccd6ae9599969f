import { localAddressKind } from '#shared/adapters/http/guarded-lookup.ts';
import { localAddress } from './kube-config-messages.ts';

/**
 * What the settings of a deployment allow a kubeconfig from a store to do. A user who may write the kubeconfig of one cluster
 * must not thereby choose what the function connects to, or in which way. If a member is absent, it is not allowed.
 */
export interface KubeConfigAllowance {
  /** A server without TLS. */
  readonly plainHttp?: true;
  /** A certificate that is not verified (`insecure-skip-tls-verify`). */
  readonly unverifiedTls?: true;
  /** A server on the function's own machine: 127.0.0.0/8, ::1, 0.0.0.0. */
  readonly loopback?: true;
  /** A server at a link-local address, where clouds have their metadata services: 169.254.0.0/16, fe80::/10. */
  readonly linkLocal?: true;
  /** The one proxy that `proxy-url` may name: scheme, host and port. */
  readonly proxy?: string;
}

/** Each allowance, and the type of its value. */
export const KUBECONFIG_ALLOWANCES = {
  plainHttp: 'flag',
  unverifiedTls: 'flag',
  loopback: 'flag',
  linkLocal: 'flag',
  proxy: 'url',
} as const satisfies Readonly<Record<keyof KubeConfigAllowance, 'flag' | 'url'>>;

/**
 * Returns why connections to this address are not allowed, with the remedy. Returns undefined if they are allowed, or if the
 * text is not an address.
 */
export function addressFault(address: string, allowance: KubeConfigAllowance): string | undefined {
  const kind = localAddressKind(address);
  if (kind === undefined || allowance[kind] === true) return undefined;
  return localAddress(address, kind);
}
