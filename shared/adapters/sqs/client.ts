import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

const CONNECTION_TIMEOUT_MS = 1_000;
/** More than the longest poll, 20 s. */
const REQUEST_TIMEOUT_MS = 25_000;
const MAX_ATTEMPTS = 5;

/** How connections are made, if the SDK's own agents are not suitable. */
interface SqsConnecting {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  /** The timeout of a connection attempt, in milliseconds. */
  readonly connectionTimeout?: number;
}

/**
 * Creates a client of SQS with timeouts and retries. Region, credentials and endpoint come from the usual places of the SDK
 * (AWS SDKs and Tools Reference Guide): `AWS_REGION`, `AWS_ENDPOINT_URL`, the role of the process.
 *
 * @param config Overrides.
 * @param connecting How the client connects, and the SDK to STS for its credentials.
 */
export function createSqsClient(
  config: SQSClientConfig = {},
  connecting?: SqsConnecting,
): SQSClient {
  return new SQSClient({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    // The queue URLs of an emulator may contain a host that only the emulator can resolve.
    useQueueUrlAsEndpoint: false,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without this option, the SDK only warns.
      throwOnRequestTimeout: true,
      ...connecting,
    },
    ...config,
  });
}
