/** A type of condition that is True if something is wrong or not done yet. */
export interface AbnormalType {
  readonly type: string;
  /** The API that defines the type in this way. */
  readonly api: string;
  /** The meaning of True in that API. */
  readonly whenTrue: string;
}

/**
 * The types of condition whose True is bad, in every kind. By the uniform rule of Multi-WEC Aggregated Status
 * ("Condition Aggregation": any False is False), one healthy WEC would hide all others (X1). Therefore, any True is
 * True, then any False is False. A WEC without the entry does not count, because most controllers only write such a
 * condition while it is True.
 *
 * A type is in this table if the API that defines it leaves no doubt and no other well-known API gives it the opposite
 * meaning. All other types are positive and follow the uniform rule: `Progressing` (healthy in a Deployment), `Paused`,
 * `Suspended`, `Deleting`, `Issuing`, and every unknown type.
 */
export const ABNORMAL_WHEN_TRUE: readonly AbnormalType[] = [
  {
    type: 'Stalled',
    api: 'kstatus convention (sigs.k8s.io/cli-utils), Flux',
    whenTrue: 'the controller met an error and makes no progress',
  },
  {
    type: 'Reconciling',
    api: 'kstatus convention (sigs.k8s.io/cli-utils), Flux',
    whenTrue: 'the object does not match its spec yet',
  },
  {
    type: 'Degraded',
    api: 'config.openshift.io/v1 ClusterOperator, operator.openshift.io',
    whenTrue: 'it does not match its desired state over a period of time',
  },
  {
    type: 'ReplicaFailure',
    api: 'v1 ReplicationController; apps/v1 ReplicaSet, Deployment',
    whenTrue: 'a pod could not be created or deleted',
  },
  {
    type: 'Failed',
    api: 'batch/v1 Job; certificates.k8s.io/v1 CertificateSigningRequest; JobSet, Kubeflow jobs',
    whenTrue: 'it has failed permanently',
  },
  {
    type: 'FailureTarget',
    api: 'batch/v1 Job',
    whenTrue: 'it is about to be marked Failed',
  },
  {
    type: 'DisruptionTarget',
    api: 'v1 Pod',
    whenTrue: 'it is about to be terminated because of a disruption',
  },
  {
    type: 'Dangling',
    api: 'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
    whenTrue: 'the priority level that it names does not exist',
  },
  {
    type: 'Denied',
    api: 'certificates.k8s.io/v1 CertificateSigningRequest; cert-manager.io/v1 CertificateRequest',
    whenTrue: 'the request was rejected',
  },
  {
    type: 'InvalidRequest',
    api: 'cert-manager.io/v1 CertificateRequest',
    whenTrue: 'the request cannot be fulfilled as it stands',
  },
  {
    type: 'NonStructuralSchema',
    api: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
    whenTrue: 'a schema violates the rules for structural schemas',
  },
  {
    type: 'Terminating',
    api: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
    whenTrue: 'it is being deleted, its objects first',
  },
  {
    type: 'Conflicted',
    api: 'gateway.networking.k8s.io/v1 Gateway (listeners)',
    whenTrue: 'a listener conflicts with another one',
  },
  {
    type: 'PartiallyInvalid',
    api: 'gateway.networking.k8s.io/v1 routes (parents)',
    whenTrue: 'some rules of the route are invalid and not in use',
  },
  { type: 'MemoryPressure', api: 'v1 Node', whenTrue: 'memory runs low' },
  { type: 'DiskPressure', api: 'v1 Node', whenTrue: 'disk space runs low' },
  { type: 'PIDPressure', api: 'v1 Node', whenTrue: 'there are too many processes' },
  { type: 'NetworkUnavailable', api: 'v1 Node', whenTrue: 'the network is not set up' },
];

/** The types of {@link ABNORMAL_WHEN_TRUE}. */
export const ABNORMAL_TYPES: ReadonlySet<string> = new Set(
  ABNORMAL_WHEN_TRUE.map(({ type }) => type),
);
