import { boundedText, resourceMessage } from '#shared/core/fleet/resource-message.ts';
import { driftOf } from '#shared/core/fleet/resource-states.ts';
import { isTrueAt } from '#shared/core/fleet-object.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';

/**
 * The name of a resource in Fleet's messages: `deployment.apps shop/web`, `configmap.v1 shop/settings`.
 *
 * @param entry JSON of a ModifiedStatus or NonReadyStatus; absent fields are empty
 */
export function resourceName(entry: JsonObject): string {
  const apiVersion = textAt(entry, 'apiVersion');
  const namespace = textAt(entry, 'namespace');
  const kind = textAt(entry, 'kind').toLowerCase();
  const type = apiVersion === '' ? kind : `${kind}.${apiVersion.replace(/\/.*/s, '')}`;
  const name = textAt(entry, 'name');
  return `${type} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/**
 * The line of a resource that differs from what was deployed (Fleet's code, `ModifiedStatus.String`), with at most 512
 * characters of its patch.
 *
 * @param entry JSON of a ModifiedStatus
 */
export function modifiedLine(entry: JsonObject): string {
  const name = resourceName(entry);
  switch (driftOf(entry)) {
    case 'missing':
      return `${name} missing`;
    case 'unowned':
      return `${name} is not owned by us`;
    case 'orphaned':
      return `${name} extra`;
    case 'modified':
      return `${name} modified ${boundedText(textAt(entry, 'patch'))}`;
  }
}

function flagsOf(entry: JsonObject): string {
  const flags = [
    ...(isTrueAt(entry, 'summary', 'transitioning') ? ['progressing'] : []),
    ...(isTrueAt(entry, 'summary', 'error') ? ['error'] : []),
  ];
  return flags.length === 0 ? '' : `[${flags.join(',')}]`;
}

/**
 * The line of a resource that is not ready, with at most 512 characters of its messages (Fleet's code, `NonReadyStatus.String`;
 * if the only flag is the error, the line has `[error]`, where Fleet writes `error]`).
 *
 * @param entry JSON of a NonReadyStatus
 */
export function nonReadyLine(entry: JsonObject): string {
  const name = resourceName(entry);
  const flags = flagsOf(entry);
  if (flags === '') return `${name} ${textAt(entry, 'summary', 'state')}`;
  const message = resourceMessage(entry);
  return [name, flags, ...(message === '' ? [] : [message])].join(' ');
}
