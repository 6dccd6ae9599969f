import { at, type JsonObject } from '#shared/core/json.ts';
import type { Subject } from '#shared/state/keys.ts';

const PREFIX = 'status.kubestellar.io/';

/**
 * The workload object that a CombinedStatus says it belongs to, by its labels; `undefined` where it does not say. A name
 * that was shortened to fit a label names no object.
 */
export function labelledSubject(
  wds: string,
  combinedStatus: JsonObject | undefined,
): Subject | undefined {
  const label = (key: string): string | undefined => {
    const value = at(combinedStatus, 'metadata', 'labels', `${PREFIX}${key}`);
    return typeof value === 'string' ? value : undefined;
  };
  const group = label('api-group');
  const resource = label('resource');
  const namespace = label('namespace');
  const name = label('name');
  if (group === undefined || namespace === undefined || !resource || !name) return undefined;
  return { type: 'workload', workload: { wds, group, resource, namespace, name } };
}
