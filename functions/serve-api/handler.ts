import { createServeApi } from '#functions/serve-api/lambda.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { readEnv } from '#shared/env.ts';
import { createObservability } from '#shared/runtime/observability.ts';

const env = readEnv('serveApi');
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});

/** Lambda's entry point. */
export const handler = createServeApi(
  { store },
  createObservability({ service: 'serve-api', stage: env.STAGE, logLevel: env.LOG_LEVEL }),
);
