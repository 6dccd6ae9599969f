import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { createRateLimit } from '#shared/adapters/kubernetes/rate-limit.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { withReceiverState } from '#shared/adapters/sqs/receiver-state.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { sharedCluster } from '#shared/watch/shared-cluster.ts';
import type { ForwarderConfig } from './config.ts';
import { regionOfQueueUrl } from './config-rules.ts';
import { createKubeConfigSource } from './kube-config-source.ts';
import type { ProgramLog } from './log.ts';
import { createProxyAgents } from './proxy-environment.ts';

/** The connections of the process. */
export interface Connections {
  /** The cluster that is watched, at a limited rate. */
  readonly api: ResourceApi;
  /** The same cluster, without the limit, because a renewal must not wait for lists. */
  readonly leaseApi: ObjectApi;
  readonly queue: MessageSender;
}

type Environment = Readonly<NodeJS.ProcessEnv>;

/** The dependencies of connections besides the configuration. */
interface ConnectionsWorld {
  /** The environment, which may name proxies, endpoints of AWS and kubeconfigs. */
  readonly environment: Environment;
  readonly log: Pick<ProgramLog, 'info' | 'warn'>;
}

/** A page of 500 large objects from a busy API server takes a long time. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A tunnel through a proxy takes longer to set up than a connection within AWS. */
const CONNECTION_TIMEOUT_MS = 10_000;
const FIELD_MANAGER = 'starfold-event-forwarder';
const UNKNOWN_TABLE =
  'the tag of the queue that names its table cannot be read: if the table is lost, restart the forwarder';

/**
 * The endpoint of SQS. Requests go to the host of the URL of the queue, which may be a VPC endpoint, unless the environment
 * names another endpoint (AWS SDKs and Tools Reference Guide, "Service-specific endpoints").
 */
function sqsEndpoint(queueUrl: string, environment: Environment): { readonly endpoint?: string } {
  const { AWS_ENDPOINT_URL_SQS: ofSqs, AWS_ENDPOINT_URL: ofAll } = environment;
  return ofSqs || ofAll ? {} : { endpoint: new URL(queueUrl).origin };
}

function createQueue(
  { sqs, http }: ForwarderConfig['queue'],
  { environment, log }: ConnectionsWorld,
): Connections['queue'] {
  const agents = createProxyAgents(environment);
  if (http !== undefined) return createHttpEventQueue({ ...http, agents });
  if (sqs === undefined) throw new TypeError('a configuration without a queue');
  const region = sqs.region ?? regionOfQueueUrl(sqs.url);
  const client = createSqsClient(
    { ...sqsEndpoint(sqs.url, environment), ...(region === undefined ? {} : { region }) },
    { ...agents, connectionTimeout: CONNECTION_TIMEOUT_MS },
  );
  const { url: queueUrl } = sqs;
  return withReceiverState(createSqsMessageQueue({ client, queueUrl, fifo: false }), {
    client,
    queueUrl,
    monotonic: () => performance.now(),
    onError: (error) => log.warn(UNKNOWN_TABLE, { error: error.message }),
  });
}

/**
 * Prepares the connections that a configuration and the environment name. No request is sent yet.
 *
 * @throws KubeConfigError if there is no usable kubeconfig or service account
 * @throws ProxyEnvironmentError if a proxy of the environment cannot be used
 */
export function createConnections(
  { kubernetes, queue }: Pick<ForwarderConfig, 'kubernetes' | 'queue'>,
  { environment, log }: ConnectionsWorld,
): Connections {
  const { qps, burst } = kubernetes;
  const kubeConfig = createKubeConfigSource(kubernetes, { environment, log });
  const options = { requestTimeoutMs: REQUEST_TIMEOUT_MS, fieldManager: FIELD_MANAGER };
  return {
    api: sharedCluster(
      createKubernetesApi(kubeConfig, { ...options, rateLimit: createRateLimit({ qps, burst }) }),
      () => performance.now(),
    ),
    leaseApi: createKubernetesApi(kubeConfig, options),
    queue: createQueue(queue, { environment, log }),
  };
}
