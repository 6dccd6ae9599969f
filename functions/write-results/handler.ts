import type { Upstream } from '#functions/write-results/deps.ts';
import { createInvocation } from '#functions/write-results/invocation.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { storedConnections } from '#shared/adapters/wds/stored-connections.ts';
import {
  createFreshWdsConnections,
  createWdsConnections,
} from '#shared/adapters/wds/wds-connections.ts';
import type { WdsConnectionsDeps } from '#shared/adapters/wds/wds-session.ts';
import { markedConnections, type Writer } from '#shared/doctor/writer-mark.ts';
import { readEnv } from '#shared/env.ts';
import { type ClusterType, FLEET_CLUSTER, WDS_CLUSTER } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { exponentialRetry, withRetry } from '#shared/runtime/retry.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';

const env = readEnv('writeResults');
const observability = createObservability({
  service: 'write-results',
  stage: env.STAGE,
  logLevel: env.LOG_LEVEL,
});
const telemetry = createTelemetry(observability);
const client = createSqsClient();
const queue = (queueUrl: string) => createSqsMessageQueue({ client, queueUrl, fifo: true });
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});
/** The connections to the clusters of a type, by the locations of their kubeconfigs. */
function connectionsTo(clusterType: ClusterType, locations: string): WdsConnectionsDeps {
  return storedConnections({ locations, clusterType, region: env.AWS_REGION, clock: Date.now });
}

const wdses = connectionsTo(WDS_CLUSTER, env.WDS_KUBECONFIGS);
const upstreams = connectionsTo(FLEET_CLUSTER, env.FLEET_KUBECONFIGS);

/** The management clusters of Fleet, with their mode. */
function fleetWith(connections: (name: string) => ObjectApi): (name: string) => Upstream {
  return (name) => ({ api: connections(name), mode: env.FLEET_MODE });
}

/** The table's ARN outlives the table: a new one of this stack has the same. */
const self: Writer = { identity: env.TABLE_ARN, runsAs: `AWS Lambda, stage ${env.STAGE}` };

function marked(
  connections: WdsConnectionsDeps,
  { title }: ClusterType,
): (name: string) => ObjectApi {
  return markedConnections(createWdsConnections(connections), { title, self, clock: Date.now });
}

/** If nothing is written, there is nothing to mark. */
const upstreamApis =
  env.FLEET_MODE === 'write' ? marked(upstreams, FLEET_CLUSTER) : createWdsConnections(upstreams);

const writeResults = createWriteResults(
  {
    store,
    dirty: queue(env.DIRTY_QUEUE_URL),
    ...(env.NOTIFICATIONS_QUEUE_URL === undefined
      ? {}
      : { notifications: queue(env.NOTIFICATIONS_QUEUE_URL) }),
    wds: marked(wdses, WDS_CLUSTER),
    fleet: fleetWith(upstreamApis),
    clock: Date.now,
    telemetry,
  },
  observability,
);

/** Lambda's entry point. */
export const handler = createInvocation(
  withRetry(writeResults, {
    queue: queue(env.HINTS_QUEUE_URL),
    seconds: exponentialRetry,
    telemetry,
  }),
  () => ({
    store,
    self,
    wdses: [...wdses.source.locations.keys()],
    wds: createFreshWdsConnections(wdses),
    upstreams: [...upstreams.source.locations.keys()],
    fleet: fleetWith(createFreshWdsConnections(upstreams)),
  }),
  observability,
);
