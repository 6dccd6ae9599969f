import { setTimeout as delay } from 'node:timers/promises';
import { at, equalJson, type JsonObject, member } from '#shared/core/json.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';
import { ApiConflictError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { StartedClusters } from './clusters.ts';
import { applied, appliedProgress, PROGRESS_DONE, progress } from './demo-messages.ts';
import type { RecordedStep, Recording } from './recording.ts';

/** Plays a recording in simulated clusters. */
export interface Player {
  /** Resolves at the end of the recording, or when the signal has aborted. */
  readonly ended: Promise<void>;
  /** The progress, for a user. */
  progress(): string;
}

/** The resources of the kinds in the demo's manifests. */
const RESOURCES: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io/v1 CustomResourceDefinition': 'customresourcedefinitions',
  'v1 Namespace': 'namespaces',
  [`${CONTROL_API_VERSION} StatusCollector`]: 'statuscollectors',
  [`${CONTROL_API_VERSION} Binding`]: 'bindings',
  'apps/v1 Deployment': 'deployments',
};

/** The reference of a manifest's object in its API server. */
export function refOf(object: JsonObject): ObjectRef {
  const apiVersion = String(object['apiVersion']);
  const slash = apiVersion.indexOf('/');
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    resource: RESOURCES[`${apiVersion} ${String(object['kind'])}`] ?? '',
    namespace: String(at(object, 'metadata', 'namespace') ?? ''),
    name: String(at(object, 'metadata', 'name') ?? ''),
  };
}

/** Creates the object, or sets its spec to the manifest's. */
async function writeManifest(api: ObjectApi, manifest: JsonObject): Promise<void> {
  const ref = refOf(manifest);
  const current = await api.get(ref);
  const spec = member(manifest, 'spec');
  if (current === undefined) await api.create(ref, manifest);
  else if (spec !== undefined && !equalJson(member(current, 'spec'), spec))
    await api.replace(ref, { ...current, spec });
}

/** Like a user with kubectl, retries if another writer, such as the stack itself, has written in between. */
async function applyManifest(api: ObjectApi, manifest: JsonObject): Promise<void> {
  for (let written = false; !written; )
    try {
      await writeManifest(api, manifest);
      written = true;
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
    }
}

function stepText(object: JsonObject): string {
  const containers = at(object, 'spec', 'template', 'spec', 'containers');
  const image = Array.isArray(containers) ? member(containers[0], 'image') : undefined;
  return applied(String(image ?? ''), String(at(object, 'spec', 'replicas') ?? ''));
}

/** Writes the initial objects to the WDS, then plays the steps at their times. */
export function play(
  recording: Recording,
  clusters: StartedClusters,
  options: { readonly speed: number; readonly startMs: number; readonly signal: AbortSignal },
): Player {
  const { speed, startMs, signal } = options;
  const { api } = clusters.wds;
  let latest = '';
  let done = false;

  const take = async (step: RecordedStep): Promise<void> => {
    if (step.type === 'wec') clusters.simulated.get(step.wec)?.apply(step.object);
    else {
      await applyManifest(api, step.object);
      latest = stepText(step.object);
    }
  };
  const run = async (): Promise<void> => {
    for (const object of recording.control) await applyManifest(api, object);
    for (const step of recording.steps) {
      const wait = startMs + step.atMs / speed - Date.now();
      // An abort ends the wait, and the loop checks the signal.
      if (wait > 0) await delay(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await take(step);
    }
    done = true;
  };
  return {
    ended: run(),
    progress: () => {
      const total = recording.lengthMs / speed;
      const now = Math.min(Math.max(Date.now() - startMs, 0), total);
      const time = done ? PROGRESS_DONE : progress(Math.floor(now / 1000), Math.ceil(total / 1000));
      return latest === '' ? time : appliedProgress(latest, time);
    },
  };
}
