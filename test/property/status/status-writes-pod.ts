import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import { type StatusWrites, some } from './status-write-kind.ts';

const STATES: readonly JsonObject[] = [
  { waiting: { reason: 'ContainerCreating' } },
  { running: { startedAt: '2025-11-01T10:00:00Z' } },
  { terminated: { exitCode: 0, reason: 'Completed' } },
  { terminated: { exitCode: 1, reason: 'Error' } },
];

function containerStatuses(names: readonly string[]): fc.Arbitrary<readonly JsonObject[]> {
  return fc
    .subarray([...names])
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc
            .constantFrom(...STATES)
            .map((state): JsonObject => ({ name, state, ready: false, image: 'i', imageID: '' })),
        ),
      ),
    );
}

const podStatus = some({
  phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
  qosClass: fc.constantFrom('Burstable', 'BestEffort'),
  nominatedNodeName: fc.constantFrom('node1', 'node2'),
  containerStatuses: containerStatuses(['main', 'side', 'injected']),
  initContainerStatuses: containerStatuses(['init', 'injected']),
  ephemeralContainerStatuses: containerStatuses(['debug']),
});

const restartPolicy = fc.constantFrom('Always', 'OnFailure', 'Never');
const rule = (action: string, operator: string): JsonObject => ({
  action,
  exitCodes: { operator, values: [1] },
});

function containerNamed(name: string): fc.Arbitrary<JsonObject> {
  const withPolicy = fc
    .record({
      restartPolicy,
      rules: fc.constantFrom<readonly JsonObject[]>(
        [],
        [rule('Restart', 'In')],
        [rule('Restart', 'NotIn')],
        [rule('RestartAllContainers', 'In')],
      ),
    })
    .map(
      ({ restartPolicy: own, rules }): JsonObject => ({
        name,
        image: 'registry.example/main:1',
        restartPolicy: own,
        ...(rules.length === 0 ? {} : { restartPolicyRules: rules }),
      }),
    );
  const plain = fc.constant<JsonObject>({ name, image: 'registry.example/main:1' });
  return fc.oneof(plain, withPolicy);
}

/** Pods whose containers have ended or not, by every policy of restarting. */
export const POD_WRITES: StatusWrites = {
  apiVersion: 'v1',
  kind: 'Pod',
  specs: fc
    .record({
      restartPolicy,
      containers: fc.tuple(containerNamed('main'), containerNamed('side')),
      initContainers: fc.tuple(containerNamed('init')),
      nodeName: fc.constantFrom(undefined, 'node1'),
    })
    .map(({ nodeName, ...spec }) => (nodeName === undefined ? spec : { ...spec, nodeName })),
  standing: () => fc.oneof({ weight: 4, arbitrary: podStatus }, fc.constant({})),
  desired: () => fc.oneof({ weight: 4, arbitrary: podStatus }, fc.constant({})),
};
