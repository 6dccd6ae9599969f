import type { CertificateFiles } from '#local/intake/tls-files.ts';
import { givenAlone, NO_CERTIFICATE, NO_KEY, NO_TOKENS, notAnAddress } from './option-messages.ts';

/** The options of `starfold start` for events by HTTP. */
interface IntakeOptions {
  readonly listen?: string;
  readonly tokens?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  /** The certificate may be for the API alone. */
  readonly api?: string;
}

/** Where events are received by HTTP. */
export interface IntakePlan extends Address {
  /** Path of the file with the tokens and their sources. */
  readonly tokensFile: string;
  /** If absent, the server does not use TLS. */
  readonly tls?: CertificateFiles;
}

const DEFAULT_HOST = '127.0.0.1';
const LAST_PORT = 65_535;
/** `PORT`, `HOST:PORT` or `[IPv6]:PORT`. */
const ADDRESS = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/;

/** An address to listen at. */
export interface Address {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

/** Reads `PORT`, `HOST:PORT` or `[IPv6]:PORT`. `undefined` for any other text. */
export function parseAddress(text: string): Address | undefined {
  const [, ipv6, host = ipv6 ?? DEFAULT_HOST, digits] = ADDRESS.exec(text) ?? [];
  const port = Number(digits);
  return digits === undefined || port > LAST_PORT ? undefined : { host, port };
}

const NAMES = { tokens: '--tokens', tlsCert: '--tls-cert', tlsKey: '--tls-key' } as const;

function tlsOf({ tlsCert, tlsKey }: IntakeOptions): Pick<IntakePlan, 'tls'> | string {
  if (tlsCert === undefined && tlsKey === undefined) return {};
  if (tlsCert === undefined) return NO_CERTIFICATE;
  if (tlsKey === undefined) return NO_KEY;
  return { tls: { certFile: tlsCert, keyFile: tlsKey } };
}

/**
 * Where events are to be received by HTTP, or `undefined` for nowhere. A text is an error in the options, with the
 * remedy.
 */
export function planIntake(options: IntakeOptions): IntakePlan | undefined | string {
  const { listen, tokens } = options;
  if (listen === undefined) {
    const names = ['tokens', 'tlsCert', 'tlsKey'] as const;
    const lonely = names.find((name) => options[name] !== undefined);
    if (lonely === undefined || (lonely !== 'tokens' && options.api !== undefined))
      return undefined;
    return givenAlone(NAMES[lonely], lonely === 'tokens' ? '--listen' : '--listen or --api');
  }
  const address = parseAddress(listen);
  if (address === undefined)
    return notAnAddress('--listen', listen, { host: '0.0.0.0', ipv6: '::', port: 8443 });
  if (tokens === undefined) return NO_TOKENS;
  const tls = tlsOf(options);
  return typeof tls === 'string' ? tls : { ...address, tokensFile: tokens, ...tls };
}

/** Whether an address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
