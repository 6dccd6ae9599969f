import { explainState } from '#shared/api/explain-state.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { MULTI_WEC_STATUS_LABEL } from '#shared/core/kubestellar.ts';
import { workloadContent } from '#shared/core/metadata.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { StatusOutcome } from '#shared/core/status/decision.ts';
import { ruleOf } from '#shared/core/status/kinds/rules.ts';
import { statusPaths } from '#shared/core/status/status-paths.ts';
import { type WorkloadName, workloadText } from '#shared/core/status-api/status-name.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { CONTROL } from './objects.ts';
import { freshResult } from './oracle.ts';
import { WDS, type World } from './world.ts';

const SCOPES = ['cluster', 'all-namespaces'] as const;
const LIMIT = 100;

/** What a reader learns of a status. */
interface Told {
  readonly action: string;
  readonly verdict: string | undefined;
  readonly fields: readonly (readonly [path: string, value: JsonValue])[];
}

function toldBy({ decision, verdict, fields }: Explanation): Told {
  return {
    action: decision.action,
    verdict: verdict?.status,
    fields: fields.flatMap(({ path, value }) => (value === undefined ? [] : [[path, value]])),
  };
}

/** What an explanation has to tell of a wanted status. */
function wantedOf(object: WorkloadObject, outcome: StatusOutcome): Told {
  const nothing = { verdict: undefined, fields: [] };
  if (outcome.type === 'untouched') return { action: 'Leave', ...nothing };
  if (outcome.type === 'none') return { action: 'Clear', ...nothing };
  const { status, labels } = outcome;
  return {
    action: labels[MULTI_WEC_STATUS_LABEL] === 'true' ? 'Aggregate' : 'Copy',
    verdict: assessArgoCd({ ...object, status })?.status,
    fields: [...statusPaths(status, ruleOf(object) === undefined)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  };
}

function wantedIn(world: World, workload: WorkloadName): Told {
  const standing = world.wds.objects().find(({ ref }) => {
    const { version: _version, ...name } = ref;
    return stringifyJson(name) === stringifyJson({ ...workload });
  });
  // Of KubeStellar's own objects, none is a workload object.
  if (standing === undefined || workload.group === CONTROL.group)
    return { action: 'Leave', verdict: undefined, fields: [] };
  const { status } = freshResult(world, standing).desired;
  return wantedOf(workloadContent(standing.object) as WorkloadObject, status);
}

async function differencesOf(
  world: World,
  source: StatusSource,
  workload: WorkloadName,
): Promise<readonly string[]> {
  const title = workloadText(workload);
  const state = await source.workload(workload);
  if (state === undefined) return [`nothing explains ${title}`];
  const { explanation } = await explainState(state, new AbortController().signal);
  const [is, wanted] = [toldBy(explanation), wantedIn(world, workload)].map((one) =>
    stringifyJson({ ...one, verdict: one.verdict ?? null }),
  );
  const { applied, refused = [] } = explanation;
  return [
    ...(is === wanted ? [] : [`the explanation of ${title} is ${is}, wanted ${wanted}`]),
    ...(applied?.upToDate === true || refused.length > 0
      ? []
      : [`${title} is not applied: ${applied?.problem}`]),
  ];
}

/**
 * The objects that a Binding names, of which the API explains another status than a fresh fold of everything wants.
 */
export async function explanationDifferences(world: World): Promise<readonly string[]> {
  // The source counts as many Bindings of an object as this release does.
  if (world.crowded) return [];
  const clock = (): number => world.scheduler.now;
  const source = createStatusSource({ store: world.stored, wds: WDS, clock });
  const found: string[] = [];
  for (const scope of SCOPES) {
    const { items } = await source.workloads({ scope, limit: LIMIT, readable: () => true });
    for (const { workload } of items) found.push(...(await differencesOf(world, source, workload)));
  }
  return found;
}
