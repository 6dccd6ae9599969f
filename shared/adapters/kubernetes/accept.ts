import type { Selection } from '#shared/ports/kubernetes-api.ts';

/**
 * The Accept header for a selection, as a member of a request; empty for whole objects. For metadata only, the header follows
 * the Kubernetes API concepts ("Metadata-only fetches"): `PartialObjectMetadataList` for a list, `PartialObjectMetadata` for
 * one object and for the lines of a watch. Plain JSON comes last, for servers that do not support that form.
 */
export function acceptOf(
  { metadataOnly }: Selection,
  form: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): { readonly accept?: string } {
  return metadataOnly === true
    ? { accept: `application/json;as=${form};g=meta.k8s.io;v=v1,application/json` }
    : {};
}
