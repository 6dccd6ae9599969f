import { createServeApi } from '#functions/serve-api/lambda.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { parseKubeconfigLocations } from '#shared/adapters/parameters/kubeconfig-locations.ts';
import { readEnv } from '#shared/env.ts';
import { createObservability } from '#shared/runtime/observability.ts';

const env = readEnv('serveApi');
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});

/** Lambda's entry point if IAM decides which statuses may be read. It asks no WDS, and has no client for one. */
export const handler = createServeApi(
  { store },
  createObservability({ service: 'serve-api', stage: env.STAGE, logLevel: env.LOG_LEVEL }),
  async (onError) => {
    const { Statuses } = await import('#functions/serve-api/statuses.ts');
    const wdses = new Set(parseKubeconfigLocations(env.WDS_KUBECONFIGS).keys());
    return new Statuses({ store, wdses, clock: Date.now, onError });
  },
);
