import { equalJson, type JsonValue, member } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type {
  AggregateExplanation,
  FieldExplanation,
} from '#shared/core/status/kinds/explain-status.ts';
import { ruleOf } from '#shared/core/status/kinds/rules.ts';
import { departureText } from '#shared/core/status/messages.ts';
import { statusPaths } from '#shared/core/status/status-paths.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';

function keptField(path: string, value: JsonValue | undefined, desired: JsonValue | undefined) {
  const own: FieldExplanation = {
    path,
    ...(value === undefined ? { omitted: true } : { value }),
    rule: 'kept',
    documentation: 'rules.md#what-an-api-server-rejects',
    departs: departureText('desired', desired),
  };
  return own;
}

/**
 * The fields of a status as they are written. An API server rejects some changes of the present status (K7). No WEC
 * decides a field that stays as it is for that reason, or that is adapted to such a field.
 *
 * @param object the object as it is in the WDS, with its present `.status`
 */
export function withKeptFields(
  object: WorkloadObject,
  { status, fields }: Pick<AggregateExplanation, 'status' | 'fields'>,
): readonly FieldExplanation[] {
  const isDeep = ruleOf(object) === undefined;
  const { status: written } = writableStatus(object, status, member(object, 'status'));
  const [desired, kept] = [statusPaths(status, isDeep), statusPaths(written, isDeep)];
  const changed = new Map(
    [...new Set([...desired.keys(), ...kept.keys()])]
      .filter((path) => !equalJson(desired.get(path), kept.get(path)))
      .map((path) => [path, keptField(path, kept.get(path), desired.get(path))]),
  );
  const others = fields.filter(({ path }) => !changed.has(path));
  return [...others, ...changed.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
