import { at, equalJson, type JsonObject, member, stringifyJson } from '#shared/core/json.ts';
import type { StartedClusters } from './clusters.ts';
import { generationDiffers, NO_WORKLOAD, specDiffers, workloadMissing } from './demo-messages.ts';
import { differencesOf } from './expected.ts';
import { CONTROL } from './observation.ts';
import { refOf } from './player.ts';
import type { RecordedStep, Recording } from './recording.ts';

function lastInWecs(steps: readonly RecordedStep[]): ReadonlyMap<string, JsonObject> {
  const last = new Map<string, JsonObject>();
  for (const step of steps) if (step.type === 'wec') last.set(step.wec, step.object);
  return last;
}

/**
 * Compares the content of the WDS's API server at the end of a recording with the correct content, which is computed
 * from the last event of each WEC in the recording, by a fold without queues and store.
 *
 * @returns the differences; empty if there are none
 */
export async function verifyDemo(
  { steps }: Recording,
  { wds }: StartedClusters,
): Promise<readonly string[]> {
  const manifests = steps.filter(({ type }) => type === 'wds');
  const manifest = manifests.at(-1)?.object;
  if (manifest === undefined) return [NO_WORKLOAD];
  const ref = refOf(manifest);
  const listed = async (resource: keyof typeof CONTROL): Promise<readonly JsonObject[]> =>
    (await wds.api.list(CONTROL[resource], {})).items;
  const [object, bindings, collectors, combinedStatuses] = await Promise.all([
    wds.api.get(ref),
    listed('bindings'),
    listed('collectors'),
    listed('combinedStatuses'),
  ]);
  if (object === undefined)
    return [workloadMissing(`${ref.resource} ${ref.namespace}/${ref.name}`)];
  const wanted = member(manifest, 'spec');
  const asApplied = equalJson(member(object, 'spec'), wanted)
    ? []
    : [specDiffers(stringifyJson(member(object, 'spec')), stringifyJson(wanted))];
  const generation = at(object, 'metadata', 'generation');
  const asOften =
    generation === manifests.length
      ? []
      : [generationDiffers(String(generation), manifests.length)];
  const world = {
    ref: { wds: wds.name, ...ref },
    object,
    bindings,
    collectors,
    combinedStatuses,
    inWecs: lastInWecs(steps),
  };
  return [...asApplied, ...asOften, ...differencesOf(world)];
}
