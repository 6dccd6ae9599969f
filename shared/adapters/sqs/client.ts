import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

const CONNECTION_TIMEOUT_MS = 1_000;
/** More than the longest poll, 20 s. */
const REQUEST_TIMEOUT_MS = 25_000;
const MAX_ATTEMPTS = 5;

/** How connections are made, where the SDK's own agents do not do. */
interface SqsConnecting {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  /** How long that may take, in milliseconds. */
  readonly connectionTimeout?: number;
}

/**
 * A client of SQS with timeouts and retries. Region, credentials and endpoint come from where the SDK looks for them
 * (AWS SDKs and Tools Reference Guide): `AWS_REGION`, `AWS_ENDPOINT_URL`, the role of the process.
 *
 * @param config What a caller sets otherwise.
 * @param connecting How it connects, and the SDK to STS for its credentials.
 */
export function createSqsClient(
  config: SQSClientConfig = {},
  connecting?: SqsConnecting,
): SQSClient {
  return new SQSClient({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    // An emulator's queue URLs may name a host that only the emulator knows.
    useQueueUrlAsEndpoint: false,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Else the SDK only warns.
      throwOnRequestTimeout: true,
      ...connecting,
    },
    ...config,
  });
}
