import { acceptedTypes } from './messages.ts';
import { StatusError } from './status-error.ts';

/** The form of an answer: whole objects, a Table for people, or only the metadata. */
export type Form = 'object' | 'table' | 'metadata';

const FORMS: Readonly<Record<string, Form>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};
const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The media types of the header `Accept`, as they were written. */
function mediaTypes(accept: string): readonly MediaType[] {
  return (accept === '' ? '*/*' : accept).split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const pairs = parameters.map((parameter): readonly [string, string] => {
      const [name = '', value = ''] = parameter.split('=');
      return [name, value];
    });
    return { type, parameters: new Map(pairs) };
  });
}

function notAcceptable(types: string): StatusError {
  return new StatusError({ code: 406, reason: 'NotAcceptable' }, acceptedTypes(types));
}

/**
 * The first form of an object or list that the client accepts and that can be served (Kubernetes API concepts, "Resource
 * representations").
 *
 * @param accept the header `Accept`
 * @throws StatusError 406 if there is none, such as for protocol buffers alone
 */
export function negotiateForm(accept: string): Form {
  for (const { type, parameters } of mediaTypes(accept)) {
    const as = parameters.get('as');
    const form = as === undefined ? 'object' : FORMS[as];
    const isKnown =
      as === undefined || (parameters.get('g') === 'meta.k8s.io' && parameters.get('v') === 'v1');
    if (JSON_TYPES.has(type) && form !== undefined && isKnown) return form;
  }
  throw notAcceptable('application/json, application/json;as=Table;g=meta.k8s.io;v=v1');
}

/** The versions of aggregated discovery that clients ask for: that of today, and that of Kubernetes 1.27. */
export type DiscoveryVersion = 'v2' | 'v2beta1';

/** The version of aggregated discovery that the client prefers to plain discovery. Undefined if it prefers the plain one. */
export function aggregatedDiscovery(accept: string): DiscoveryVersion | undefined {
  for (const { type, parameters } of mediaTypes(accept)) {
    const version = parameters.get('v');
    if (!JSON_TYPES.has(type)) continue;
    if (parameters.get('as') === undefined) return undefined;
    const isWanted = parameters.get('as') === 'APIGroupDiscoveryList';
    if (isWanted && (version === 'v2' || version === 'v2beta1')) return version;
  }
  return undefined;
}

/**
 * Checks that a client accepts JSON. kubectl asks for a schema in protocol buffers first, and for JSON if it is told that there are
 * none.
 *
 * @throws StatusError 406 if it does not
 */
export function requireJson(accept: string): void {
  if (!mediaTypes(accept).some(({ type }) => JSON_TYPES.has(type)))
    throw notAcceptable('application/json');
}
