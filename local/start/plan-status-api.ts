import type { CertificateFiles } from '#local/intake/tls-files.ts';
import { givenAlone, NO_TLS_OF_API, notAnAddress, openDemoApi } from './option-messages.ts';
import { type Address, isLoopback, parseAddress } from './plan-intake.ts';

/** The options of `starfold start` for the API of the WECs' statuses. */
interface StatusApiOptions {
  readonly api?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly console?: boolean;
}

/** Where the API of the WECs' statuses is served. */
export interface StatusApiPlan extends Address {
  /** Absent only for the demo, whose API servers have no authentication either. */
  readonly tls?: CertificateFiles;
  /** Whether the page is served with the API of a WDS. The demo always serves it. */
  readonly page?: true;
}

function addressOf(api: string): Address | string {
  return (
    parseAddress(api) ?? notAnAddress('--api', api, { host: '127.0.0.1', ipv6: '::', port: 8443 })
  );
}

/**
 * Where the API of a WDS is served, or `undefined` for nowhere. A text is an error in the options, with the remedy. Without TLS,
 * kubectl sends no credentials.
 */
export function planStatusApi({
  api,
  tlsCert,
  tlsKey,
  console: page = false,
}: StatusApiOptions): StatusApiPlan | undefined | string {
  if (api === undefined) return page ? givenAlone('--console', '--api') : undefined;
  const address = addressOf(api);
  if (typeof address === 'string') return address;
  if (tlsCert === undefined || tlsKey === undefined) return NO_TLS_OF_API;
  return {
    ...address,
    tls: { certFile: tlsCert, keyFile: tlsKey },
    ...(page ? { page } : {}),
  };
}

const ANY_PORT: StatusApiPlan = { host: '127.0.0.1', port: 0 };

/**
 * Where the API of the demo and its page are served: at any free port, if no address is given and somebody may look. A text is an
 * error in the options, with the remedy.
 */
export function planDemoApi(
  api: string | undefined,
  { exit }: { readonly exit: boolean },
): StatusApiPlan | undefined | string {
  if (api === undefined) return exit ? undefined : ANY_PORT;
  const address = addressOf(api);
  if (typeof address === 'string' || isLoopback(address.host)) return address;
  return openDemoApi(api, address.port);
}
