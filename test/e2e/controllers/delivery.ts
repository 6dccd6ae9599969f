import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, type Cluster } from '#test/e2e/clusters.ts';

/** Labels that each API server gives the pods of a Job. */
const LABELS_OF_JOB = /(^|\/)(controller-uid|job-name)$/;

function without(object: JsonValue | undefined, isOmitted: (key: string) => boolean): JsonObject {
  if (!isObject(object)) return {};
  return Object.fromEntries(Object.entries(object).filter(([key]) => !isOmitted(key)));
}

/** A Job's spec without what the API server of the WDS has made up for it alone, as KubeStellar's transport sends it. */
function jobSpec(spec: JsonValue | undefined): JsonObject {
  const template = at(spec, 'template');
  const metadata = at(template, 'metadata');
  const labels = without(at(metadata, 'labels'), (key) => LABELS_OF_JOB.test(key));
  return {
    ...without(spec, (key) => key === 'selector'),
    template: {
      ...without(template, () => false),
      metadata: { ...without(metadata, () => false), labels },
    },
  };
}

interface Delivery {
  readonly ref: ObjectRef;
  readonly wec: Cluster;
  /** Whether the WEC's object says of which generation it is (`starfold.dev/source-generation`). */
  readonly tellGeneration: boolean;
}

/** Applies an object of the WDS in a WEC, as a transport does: without the status and what is of the WDS alone. */
export async function deliver(
  object: JsonObject,
  { ref, wec, tellGeneration }: Delivery,
): Promise<void> {
  const { apiVersion = '', kind = '', metadata, spec } = object;
  const generation = String(at(metadata, 'generation'));
  const annotations = tellGeneration ? { 'starfold.dev/source-generation': generation } : {};
  await apply(wec, ref, {
    apiVersion,
    kind,
    metadata: {
      name: ref.name,
      namespace: ref.namespace,
      labels: at(metadata, 'labels') ?? {},
      annotations,
    },
    spec: kind === 'Job' ? jobSpec(spec) : (spec ?? {}),
  });
}
