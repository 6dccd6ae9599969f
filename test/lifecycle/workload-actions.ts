import { at, type JsonObject } from '#shared/core/json.ts';
import { type Action, namespaceRef, relabelled, slotKey } from './action.ts';
import { withMetadata } from './clusters.ts';
import { manifest, NAMESPACES, SLOTS } from './kinds.ts';
import { labels } from './specs.ts';

const FINALIZER = 'example.com/wait';

interface Change {
  readonly content: JsonObject;
  /** The labels that the user wants. */
  readonly wanted: JsonObject;
  readonly note: string;
}

const CHANGE_NAMES = ['content', 'labels', 'both', 'annotation', 'finalizer'] as const;
const CHANGES: Readonly<
  Record<(typeof CHANGE_NAMES)[number], (standing: JsonObject, change: Change) => JsonObject>
> = {
  content: (standing, { content }) => ({ ...standing, ...content }),
  labels: (standing, { wanted }) =>
    withMetadata(standing, { labels: relabelled(standing, wanted) }),
  both: (standing, { content, wanted }) =>
    withMetadata({ ...standing, ...content }, { labels: relabelled(standing, wanted) }),
  annotation: (standing, { note }) => withMetadata(standing, { annotations: { note } }),
  finalizer: (standing) => withMetadata(standing, { finalizers: [FINALIZER] }),
};

/** A workload object comes, or changes. */
export const setWorkload: Action = async ({ wds }, random) => {
  const slot = random.pick(SLOTS);
  const content = slot.kind.content(random);
  const change = random.pick(CHANGE_NAMES);
  const wanted = labels(random);
  await wds.set(slot.ref, (standing) => {
    if (standing === undefined) return manifest(slot, content, wanted);
    const changed = CHANGES[change];
    return changed(standing, { content, wanted, note: String(random.below(9)) });
  });
  return `set ${slotKey(slot.ref)} ${change}`;
};

/** A workload object goes, at once or when its finalizers let it. */
export const deleteWorkload: Action = async ({ wds }, random) => {
  const { ref } = random.pick(SLOTS);
  await wds.remove(ref);
  return `delete ${slotKey(ref)}`;
};

/** A workload object goes and comes again, with another uid. */
export const recreateWorkload: Action = async ({ wds }, random) => {
  const slot = random.pick(SLOTS);
  const made = manifest(slot, slot.kind.content(random), labels(random));
  await wds.edit(slot.ref, (standing) => withMetadata(standing, { finalizers: undefined }));
  await wds.remove(slot.ref);
  await wds.set(slot.ref, () => made);
  return `recreate ${slotKey(slot.ref)}`;
};

/** Everything that was asked to go and waits, goes. */
export const releaseFinalizers: Action = async ({ wds }) => {
  for (const { ref } of SLOTS)
    await wds.edit(ref, (standing) =>
      at(standing, 'metadata', 'finalizers') === undefined
        ? standing
        : withMetadata(standing, { finalizers: undefined }),
    );
  return 'release finalizers';
};

/** A Namespace has other labels. */
export const labelNamespace: Action = async ({ wds }, random) => {
  const name = random.pick(NAMESPACES);
  const wanted = labels(random);
  await wds.edit(namespaceRef(name), (standing) =>
    withMetadata(standing, { labels: relabelled(standing, wanted) }),
  );
  return `label namespace ${name} ${JSON.stringify(wanted)}`;
};

/** With everything in it; then it is made again, empty. */
export const recreateNamespace: Action = async (world, random) => {
  const name = random.pick(NAMESPACES);
  await releaseFinalizers(world, random);
  await world.wds.remove(namespaceRef(name));
  await world.ensureNamespace(name);
  return `recreate namespace ${name}`;
};
