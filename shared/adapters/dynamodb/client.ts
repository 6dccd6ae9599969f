import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

// DynamoDB answers in milliseconds; what takes longer is asked for again on another connection.
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 5;

/**
 * A client for the item store: gives up a connection after 1 s and a request after 5 s, and asks up to five times.
 *
 * Region, credentials and endpoint are what the SDK finds in its environment, unless `config` names them.
 */
export function createDynamoDbClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Otherwise the SDK only warns.
      throwOnRequestTimeout: true,
    },
    ...config,
  });
}
