import { readFileSync } from 'node:fs';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';

const RECORDING = new URL('../fixtures/recordings/deployment-rollout.jsonl', import.meta.url);

function readLast(): JsonObject {
  const lines = readFileSync(RECORDING, 'utf8').trimEnd().split('\n');
  const object = member(parseJson(lines.at(-1) ?? ''), 'object');
  if (!isObject(object)) throw new RangeError('the recording does not end with an object');
  return object;
}

/** A Deployment at the end of its rollout, as a real API server sent it, with status and managedFields. */
export const RECORDED: JsonObject = readLast();

/** A member of the recorded object that is an object. */
export function recorded(key: 'metadata' | 'spec' | 'status'): JsonObject {
  const value = RECORDED[key];
  return isObject(value) ? value : {};
}

/** The same Deployment as a user has it in the WDS. */
export function wdsDeployment(name: string, namespace: string): WorkloadObject {
  const metadata = { name, namespace, uid: `wds-${name}`, generation: 1, labels: { app: name } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: recorded('spec') };
}

/** The recorded status with other counters: how many replicas are available, of those that the spec wants. */
export function statusWith(available: number, more: JsonObject = {}): JsonObject {
  const replicas: JsonValue = recorded('spec')['replicas'] ?? 1;
  return {
    ...recorded('status'),
    observedGeneration: 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: available,
    availableReplicas: available,
    ...more,
  };
}

const COUNTED = 'Counted';
const SECOND_MS = 1_000;

/**
 * The recorded status with a condition whose time is a number of seconds: an aggregate shows the newest time of all
 * WECs, so the highest number.
 */
export function countedStatus(
  available: number,
  counter: number,
  more: JsonObject = {},
): JsonObject {
  const { conditions } = recorded('status');
  const lastTransitionTime = new Date(counter * SECOND_MS).toISOString().replace('.000', '');
  const entry = { type: COUNTED, status: 'True', reason: COUNTED, lastTransitionTime };
  return statusWith(available, {
    ...more,
    conditions: [...(isArray(conditions) ? conditions : []), entry],
  });
}

/** The number in a status that {@link countedStatus} made, or that is aggregated of such; undefined where it has none. */
export function counterIn(object: JsonObject): number | undefined {
  const conditions = at(object, 'status', 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  const time = member(
    entries.find((entry) => member(entry, 'type') === COUNTED),
    'lastTransitionTime',
  );
  return typeof time === 'string' ? Date.parse(time) / SECOND_MS : undefined;
}
