import { createServeApi } from '#functions/serve-api/lambda.ts';
import { Statuses } from '#functions/serve-api/statuses.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { storedConnections } from '#shared/adapters/wds/stored-connections.ts';
import { createWdsConnections } from '#shared/adapters/wds/wds-connections.ts';
import { readEnv } from '#shared/env.ts';
import { WDS_CLUSTER } from '#shared/errors.ts';
import { createObservability } from '#shared/runtime/observability.ts';

const env = readEnv('serveApi');
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});
const connections = storedConnections({
  locations: env.WDS_KUBECONFIGS,
  clusterType: WDS_CLUSTER,
  region: env.AWS_REGION,
  clock: Date.now,
});
const wdses = new Set(connections.source.locations.keys());
const wds = createWdsConnections(connections);

/** Lambda's entry point if the WDS decides which statuses may be read. */
export const handler = createServeApi(
  { store },
  createObservability({ service: 'serve-api', stage: env.STAGE, logLevel: env.LOG_LEVEL }),
  async (onError) => new Statuses({ store, wdses, wds, clock: Date.now, onError }),
);
