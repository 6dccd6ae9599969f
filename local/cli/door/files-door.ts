import { type Evaluated, evaluate, inventoryOf } from '#local/cli/eval/evaluate.ts';
import { noticesOf } from '#local/cli/eval/notices.ts';
import {
  type ObjectOptions,
  type ReadEvaluation,
  readEvaluation,
} from '#local/cli/eval/object-options.ts';
import { reportingWecs } from '#local/cli/input/wec-reports.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import type { CollectorRow, CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { createCollectorRows } from '#shared/core/desired/collector-rows.ts';
import { contentOf, rowsOf } from '#shared/core/desired/desired-state.ts';
import { freshStatuses } from '#shared/core/explanation/fresh-statuses.ts';
import { equalJson, type JsonObject, member, textAt } from '#shared/core/json.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import { countStatuses } from '#shared/core/status-api/wec-counts.ts';
import type { Wec, WecStatus } from '#shared/core/status-api/wec-status.ts';
import { managedInventory, type WecInventory } from '#shared/core/wec-inventory.ts';
import { objectKey } from '#shared/core/workload.ts';
import type { AppliedState } from '#shared/ports/status-source.ts';
import { createApiDoor } from './api-door.ts';
import type { Door } from './door.ts';
import { createFreshSource, type FreshState } from './fresh-source.ts';
import { OTHER_STATUS } from './messages.ts';

/** Every WEC that is given, or to which a Binding sends something. */
function wecsOf(
  { input, reports, wecs }: ReadEvaluation,
  evaluated: Evaluated,
  statuses: readonly WecStatus[],
): readonly Wec[] {
  const counts = countStatuses(statuses);
  const { membership, silentBeyond } = evaluated;
  const sent = membership.bindings.flatMap(({ spec }) => spec.destinations);
  const given = [...input.clusters.map(({ name }) => name), ...wecs.map(({ wec }) => wec)];
  const labels = new Map(
    input.clusters.map(({ name, object }) => [name, managedInventory(object).inventory.labels]),
  );
  const silent = silentBeyond();
  return [...new Set([...given, ...reportingWecs(reports), ...sent])].map((name) => {
    const since = silent.get(name)?.since;
    const ownLabels = labels.get(name) ?? {};
    const { objects = 0, unhealthyObjects = 0 } = counts.get(name) ?? {};
    const silence = since === undefined ? {} : { silentSince: since };
    return { name, ownLabels, ...silence, objects, unhealthyObjects };
  });
}

function identityOf(object: JsonObject): string {
  const { apiVersion = '', kind = '' } = object;
  const [namespace, name] = ['namespace', 'name'].map((key) => textAt(object, 'metadata', key));
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

function appliedOf(evaluated: Evaluated, given: Evaluated['workloads'][number]): AppliedState {
  const identity = identityOf(given.object);
  const wanted = evaluated.objects.find((object) => identityOf(object) === identity);
  // A status that is cleared is an empty one.
  const [before, after] = [given.object, wanted].map((object) => member(object, 'status') ?? {});
  if (equalJson(before, after)) return { upToDate: true };
  return { upToDate: false, problem: OTHER_STATUS };
}

function stateIn(evaluated: Evaluated, workload: WorkloadName): FreshState | undefined {
  const { membership, silentBeyond, workloads } = evaluated;
  const key = objectKey(workload);
  const naming = membership.memberships.get(key) ?? [];
  if (naming.length === 0) return undefined;
  const reported = workloads.find(({ ref }) => objectKey(ref) === key);
  return {
    ...(reported === undefined ? {} : { reported }),
    membership: { memberships: new Map([[key, naming]]) },
    silent: new Set(silentBeyond().keys()),
    silentFor: (silenceMs) => new Set(silentBeyond(silenceMs).keys()),
    applied: reported === undefined ? { upToDate: true } : appliedOf(evaluated, reported),
    refused: [],
  };
}

/** What the WECs have reported of a workload object, as its collectors see it. */
function rowsIn(
  evaluated: Evaluated,
  inventory: ReadonlyMap<string, WecInventory>,
  workload: WorkloadName,
): (collector: CompiledCollector) => readonly CollectorRow[] {
  const { membership, silentBeyond, workloads } = evaluated;
  const given = workloads.find(({ ref }) => objectKey(ref) === objectKey(workload));
  if (given === undefined) return () => [];
  const silent = new Map([...silentBeyond()].map(([wec, { since }]) => [wec, since]));
  const silentFor = (silenceMs: number) => new Set(silentBeyond(silenceMs).keys());
  const rows = rowsOf(membership, given, silentFor);
  const make = createCollectorRows({
    ...{ object: contentOf(given), specs: given.specs },
    ...{ silent, inventory },
  });
  return (collector) => rows.map(make(collector));
}

/**
 * Opens a door to files, as `eval` takes them: the API says what an installation with these objects and reports would say.
 *
 * @throws InputError for invalid input; UsageError for options that contradict each other
 */
export async function openFilesDoor(options: ObjectOptions, terminal: Terminal): Promise<Door> {
  const evaluation = await readEvaluation(options, terminal);
  const evaluated = await evaluate(evaluation);
  for (const text of noticesOf(evaluation, evaluated)) terminal.notice(text);
  const { workloads, membership, silentBeyond } = evaluated;
  const { nowMs, input } = evaluation;
  const inventory = inventoryOf(input);
  const fresh = freshStatuses({
    memberships: membership.memberships,
    given: new Map(workloads.map((one) => [objectKey(one.ref), one])),
    silent: silentBeyond(),
  });
  const source = createFreshSource({
    workloads: fresh,
    wecs: wecsOf(
      evaluation,
      evaluated,
      fresh.flatMap(({ statuses }) => statuses),
    ),
    rowsOf: (workload, collector) => rowsIn(evaluated, inventory, workload)(collector),
    stateOf: (workload) => stateIn(evaluated, workload),
    nowMs,
  });
  const name = options.filename.join(', ');
  return createApiDoor({
    ...{ name, source, watch: false },
    clock: () => nowMs,
    close: () => undefined,
  });
}
