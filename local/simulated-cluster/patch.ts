import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { isCustom, type ResourceDefinition } from './resources.ts';
import { unsupportedMediaType } from './status-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

type Patching = (target: JsonObject, patch: JsonValue) => JsonValue;

const PATCHINGS: Readonly<Record<string, Patching>> = {
  'application/json-patch+json': applyJsonPatch,
  'application/merge-patch+json': applyMergePatch,
  'application/strategic-merge-patch+json': applyStrategicMergePatch,
};

/**
 * How a patch of this media type is applied to objects of this resource.
 *
 * @throws StatusError 415 for server-side apply, for a strategic merge patch of a custom resource and for any other type.
 */
export function patchingOf(mediaType: string, definition: ResourceDefinition): Patching {
  if (mediaType.startsWith('application/apply-patch+'))
    throw unsupportedMediaType(
      `server-side apply (${mediaType}) is not supported by a simulated cluster; use a merge patch, or kubectl apply without --server-side`,
    );
  const patching = PATCHINGS[mediaType];
  const known = Object.keys(PATCHINGS).filter(
    (type) => !(isCustom(definition) && type.includes('strategic')),
  );
  if (patching === undefined || !known.includes(mediaType))
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${known.join(', ')}`,
    );
  return patching;
}
