import { LambdaClient } from '@aws-sdk/client-lambda';
import type { ClientConfig } from './emulator.ts';

/** Gets what is at a URL of an HTTP API, in the name of who has these credentials. */
export async function signedGet(url: URL, config: ClientConfig): Promise<Response> {
  // Any client of the SDK can sign for any service.
  const signer = await new LambdaClient(config).config.signer({
    name: 'sigv4',
    signingName: 'execute-api',
    signingRegion: config.region,
    properties: {},
  });
  const { headers } = await signer.sign({
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host },
  });
  return fetch(url, { headers });
}
