import { isTrueAt, textAt } from '#shared/core/fleet/fleet-object.ts';
import { boundedText } from '#shared/core/fleet/resource-message.ts';
import { at, isArray, type JsonObject } from '#shared/core/json.ts';

/**
 * How Fleet's messages name a resource: `deployment.apps shop/web`, `configmap.v1 shop/settings`.
 *
 * @param entry JSON of a ModifiedStatus or NonReadyStatus; absent fields are empty
 */
export function resourceName(entry: JsonObject): string {
  const [group = ''] = textAt(entry, 'apiVersion').split('/');
  const namespace = textAt(entry, 'namespace');
  const kind = textAt(entry, 'kind').toLowerCase();
  const type = textAt(entry, 'apiVersion') === '' ? kind : `${kind}.${group}`;
  const name = textAt(entry, 'name');
  return `${type} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/**
 * The line of a resource that is not as it was deployed (Fleet's code, `ModifiedStatus.String`), with 512 characters of its
 * patch.
 *
 * @param entry JSON of a ModifiedStatus
 */
export function modifiedLine(entry: JsonObject): string {
  const name = resourceName(entry);
  if (isTrueAt(entry, 'missing'))
    return isTrueAt(entry, 'exist') ? `${name} is not owned by us` : `${name} missing`;
  if (isTrueAt(entry, 'delete')) return `${name} extra`;
  return `${name} modified ${boundedText(textAt(entry, 'patch'))}`;
}

function flagsOf(entry: JsonObject): string {
  const flags = [
    ...(isTrueAt(entry, 'summary', 'transitioning') ? ['progressing'] : []),
    ...(isTrueAt(entry, 'summary', 'error') ? ['error'] : []),
  ];
  return flags.length === 0 ? '' : `[${flags.join(',')}]`;
}

/**
 * The line of a resource that is not ready (Fleet's code, `NonReadyStatus.String`; a lone error is `[error]`, where Fleet
 * writes `error]`).
 *
 * @param entry JSON of a NonReadyStatus
 */
export function nonReadyLine(entry: JsonObject): string {
  const name = resourceName(entry);
  const flags = flagsOf(entry);
  if (flags === '') return `${name} ${textAt(entry, 'summary', 'state')}`;
  const message = at(entry, 'summary', 'message');
  const texts = isArray(message) ? message.filter((text) => typeof text === 'string') : [];
  return [name, flags, ...(texts.length === 0 ? [] : [texts.join(', ')])].join(' ');
}
