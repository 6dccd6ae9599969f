import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** How the simulated kubelets of a WEC treat pods, by the image of a container. */
export interface Kubelets {
  /** Pods of these images become ready when a test has released them ({@link RELEASED}), all others at once. */
  readonly held: readonly string[];
  /** Pods of these images fail where a Job owns them; all others of Jobs complete. */
  readonly failing: readonly string[];
}

/** The annotation with which a test lets a held pod become ready. */
export const RELEASED = 'e2e.starfold.dev/released';

const IMAGE = '.spec.containers.[].image';

/** For how long the pod of a Job runs. */
const RUN_MILLISECONDS = 1_000;

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists';
  readonly values?: readonly string[];
}

/** A kwok Stage (kwok.x-k8s.io/v1alpha1), as far as it is changed here. */
interface Stage {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchExpressions: readonly Expression[] };
    readonly delay?: { readonly durationMilliseconds: number };
  };
}

interface Change {
  readonly name?: string;
  /** What a pod has to fulfil besides. */
  readonly also: readonly Expression[];
  readonly delayMilliseconds?: number;
}

function changed(stage: Stage, { name, also, delayMilliseconds }: Change): Stage {
  const { metadata, spec } = stage;
  const matchExpressions = [...spec.selector.matchExpressions, ...also];
  return {
    ...stage,
    metadata: { ...metadata, name: name ?? metadata.name },
    spec: {
      ...spec,
      selector: { ...spec.selector, matchExpressions },
      ...(delayMilliseconds === undefined
        ? {}
        : { delay: { durationMilliseconds: delayMilliseconds } }),
    },
  };
}

/** The stage for these images alone; none where there are no images. */
function onlyFor(images: readonly string[], stage: Stage, change: Change): readonly Stage[] {
  if (images.length === 0) return [];
  const isOne: Expression = { key: IMAGE, operator: 'In', values: images };
  return [changed(stage, { ...change, also: [isOne, ...change.also] })];
}

/** The stage for all images but these. */
function exceptFor(images: readonly string[], stage: Stage, change: Change): Stage {
  const isNone: Expression = { key: IMAGE, operator: 'NotIn', values: images };
  return changed(stage, { ...change, also: images.length === 0 ? [] : [isNone] });
}

/**
 * The configuration of kwok for a WEC: YAML documents, each a Stage.
 *
 * @param kwok folder of build-kwok.sh, with kwok's own stages
 */
export async function stagesOf(kwok: string, { held, failing }: Kubelets): Promise<string> {
  const read = async (path: string): Promise<Stage> => parse(await readFile(path, 'utf8'));
  const own = (name: string): Promise<Stage> => read(join(kwok, 'stages', `${name}.yaml`));
  const [ready, complete] = await Promise.all([own('pod-ready'), own('pod-complete')]);
  const fail = await read(join(import.meta.dirname, '..', 'kwok', 'pod-fail.yaml'));
  const isReleased: Expression = {
    key: `.metadata.annotations["${RELEASED}"]`,
    operator: 'Exists',
  };
  const ends = { also: [], delayMilliseconds: RUN_MILLISECONDS };
  const stages = [
    await own('node-initialize'),
    await own('pod-delete'),
    exceptFor(held, ready, { also: [] }),
    ...onlyFor(held, ready, { name: 'pod-released', also: [isReleased] }),
    exceptFor(failing, complete, ends),
    ...onlyFor(failing, fail, ends),
  ];
  return stages.map((stage) => stringify(stage)).join('---\n');
}
