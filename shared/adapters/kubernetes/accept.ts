import type { Selection } from '#shared/ports/kubernetes-api.ts';

/**
 * The Accept header for a selection, as a member of a request: nothing for whole objects. Metadata alone is asked for as
 * the Kubernetes API concepts say ("Metadata-only fetches"): a list as `PartialObjectMetadataList`, one object and the
 * lines of a watch as `PartialObjectMetadata`. Plain JSON stands behind it, for servers that do not know the form.
 */
export function acceptOf(
  { metadataOnly }: Selection,
  form: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): { readonly accept?: string } {
  return metadataOnly === true
    ? { accept: `application/json;as=${form};g=meta.k8s.io;v=v1,application/json` }
    : {};
}
