import { returnedObject } from '#shared/core/status/returned-object.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import type { SentDigests } from './sent-digests.ts';
import { digestKeyOf, type SourceDeps, subjectOf } from './source.ts';

/** Reports the objects of a WEC that came from one WDS, each reduced to the aggregated part. */
export function tellReturned(
  deps: Pick<SourceDeps, 'isResyncing'>,
  { digests, wds }: { readonly digests: SentDigests; readonly wds: string },
): (resource: Resource, reflection: Reflection) => void {
  return (resource, reflection) => {
    if (reflection.type === 'synced') return;
    const key = digestKeyOf(resource, reflection.key);
    const subject = subjectOf(resource, reflection.key);
    const statement = { type: 'wec-object', wds, subject } as const;
    if (reflection.type === 'deleted') {
      digests.remove(key, statement);
      return;
    }
    const returned = returnedObject(reflection.object);
    const standing = { compared: { ...returned }, again: deps.isResyncing() };
    digests.upsert(key, { ...statement, returned }, standing);
  };
}
