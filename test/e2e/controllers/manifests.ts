import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { job, type Manifest, type Place } from '#test/e2e/workloads.ts';

/** Images, and what becomes of their pods; in wec1, where nothing else is said, all become ready and complete. */
export const IMAGES = {
  /** Ready at once. */
  fast: 'registry.example/main:fast',
  /** In wec2 ready when the test says so. */
  held: 'registry.example/main:held',
  /** Ready when the test says so. */
  heldInBoth: 'registry.example/main:held-in-both',
  /** In wec2, in a Job: fails. */
  failing: 'registry.example/main:failing',
} as const;

function specOf({ object }: Manifest): JsonObject {
  const spec = at(object, 'spec');
  return isObject(spec) ? spec : {};
}

function podsOf(name: string, image: string): JsonObject {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } };
}

/** The manifest with some fields of its spec made these. */
export function withSpec(manifest: Manifest, fields: JsonObject): Manifest {
  const spec = { ...specOf(manifest), ...fields };
  return { ...manifest, object: { ...manifest.object, spec } };
}

/** A workload whose pods have this image. */
export function withImage(manifest: Manifest, image: string): Manifest {
  return withSpec(manifest, { template: podsOf(manifest.ref.name, image) });
}

/** A Job of two pods, which gives up when one fails. */
export function jobOf(place: Place, image: string): Manifest {
  const containers = [{ name: 'main', image }];
  return withSpec(job(place), {
    completions: 2,
    parallelism: 2,
    backoffLimit: 0,
    template: { spec: { restartPolicy: 'Never', containers } },
  });
}

/** A CronJob of each New Year, UTC. */
export function cronJobOf(place: Place, image: string): Manifest {
  return {
    ref: { group: 'batch', version: 'v1', resource: 'cronjobs', ...place },
    object: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { ...place },
      spec: {
        schedule: '0 0 1 1 *',
        timeZone: 'Etc/UTC',
        jobTemplate: { spec: specOf(jobOf(place, image)) },
      },
    },
  };
}

/** A budget that wants two pods of an app. */
export function budgetOf(place: Place): Manifest {
  return {
    ref: { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', ...place },
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { ...place },
      spec: { minAvailable: 2, selector: { matchLabels: { app: place.name } } },
    },
  };
}
