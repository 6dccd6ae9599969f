import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

// DynamoDB answers within milliseconds. A slower request is sent again on another connection.
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 5;

/**
 * Creates a client for the item store. A connection times out after 1 s, and a request after 5 s. A request is attempted five
 * times at most.
 *
 * Region, credentials and endpoint come from the environment of the SDK, unless `config` has them.
 */
export function createDynamoDbClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Without this option, the SDK only warns.
      throwOnRequestTimeout: true,
    },
    ...config,
  });
}
