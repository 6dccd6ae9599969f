import type { KindSets } from '#test/property/status/kind-sets.ts';
import { API_SERVICE } from './api-service-sets.ts';
import { CERTIFICATE } from './certificate-sets.ts';
import { CRON_JOB } from './cron-job-sets.ts';
import { DAEMON_SET } from './daemon-set-sets.ts';
import { DEPLOYMENT, PAUSED_DEPLOYMENT } from './deployment-sets.ts';
import {
  HORIZONTAL_POD_AUTOSCALER,
  HORIZONTAL_POD_AUTOSCALER_V1,
} from './horizontal-pod-autoscaler-sets.ts';
import { INGRESS } from './ingress-sets.ts';
import { JOB } from './job-sets.ts';
import { PERSISTENT_VOLUME_CLAIM } from './persistent-volume-claim-sets.ts';
import { POD_DISRUPTION_BUDGET } from './pod-disruption-budget-sets.ts';
import { ANNOTATED_POD, POD } from './pod-sets.ts';
import { REPLICA_SET } from './replica-set-sets.ts';
import { REFERRING_ROLLOUT, ROLLOUT } from './rollout-sets.ts';
import { SERVICE } from './service-sets.ts';
import {
  SIMULATED_DEPLOYMENT,
  SIMULATED_REPLICA_SET,
  SIMULATED_STATEFUL_SET,
} from './simulated-sets.ts';
import { SCALED_STATEFUL_SET, STATEFUL_SET } from './stateful-set-sets.ts';
import { WORKFLOW } from './workflow-sets.ts';

/** The kinds whose aggregates are judged, by the name under which the results are shown. */
export const ALL_KINDS: readonly (readonly [name: string, kind: KindSets])[] = [
  ['Deployment', DEPLOYMENT],
  ['Deployment, some paused', PAUSED_DEPLOYMENT],
  ['Deployment, simulated', SIMULATED_DEPLOYMENT],
  ['ReplicaSet', REPLICA_SET],
  ['ReplicaSet, simulated', SIMULATED_REPLICA_SET],
  ['StatefulSet', STATEFUL_SET],
  ['StatefulSet, scaled in WECs', SCALED_STATEFUL_SET],
  ['StatefulSet, simulated', SIMULATED_STATEFUL_SET],
  ['DaemonSet', DAEMON_SET],
  ['Job', JOB],
  ['CronJob', CRON_JOB],
  ['Pod', POD],
  ['Pod, annotated', ANNOTATED_POD],
  ['PersistentVolumeClaim', PERSISTENT_VOLUME_CLAIM],
  ['Service', SERVICE],
  ['Ingress', INGRESS],
  ['Rollout', ROLLOUT],
  ['Rollout, of a workload', REFERRING_ROLLOUT],
  ['Workflow', WORKFLOW],
  ['HorizontalPodAutoscaler', HORIZONTAL_POD_AUTOSCALER],
  ['HorizontalPodAutoscaler, v1', HORIZONTAL_POD_AUTOSCALER_V1],
  ['PodDisruptionBudget', POD_DISRUPTION_BUDGET],
  ['APIService', API_SERVICE],
  ['Certificate', CERTIFICATE],
];
