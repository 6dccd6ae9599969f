import { API_VERSION } from './api-group.ts';
import type { AnyResource } from './resources.ts';

/** A collection or an object of a served resource. */
export interface Target {
  readonly resource: AnyResource;
  /** Absent for all namespaces, and for a resource without namespaces. */
  readonly namespace?: string;
  /** Absent for a collection. */
  readonly name?: string;
}

const ROOT = `/apis/${API_VERSION}/`;

function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

interface Place {
  readonly plural: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The parts of a path below the group. Undefined if it has too many, or an empty one. */
function placeOf(segments: readonly string[]): Place | undefined {
  const [first, namespace, ...rest] = segments;
  const isNamespaced = first === 'namespaces' && rest.length > 0;
  const [plural, name, ...more] = isNamespaced ? rest : segments;
  if (more.length > 0 || segments.includes('')) return undefined;
  return isNamespaced ? { plural, namespace, name } : { plural, name };
}

/** An object with a namespace has one in its path. A resource without namespaces never has one. */
function isInPlace({ names }: AnyResource, { namespace, name }: Place): boolean {
  return names.namespaced ? namespace !== undefined || name === undefined : namespace === undefined;
}

/** What a path identifies. Undefined if that is nothing that is served. */
export function targetOf(resources: readonly AnyResource[], path: string): Target | undefined {
  const segments = path.startsWith(ROOT) ? decoded(path.slice(ROOT.length)) : undefined;
  const place = segments && placeOf(segments);
  const resource = resources.find(({ names }) => names.plural === place?.plural);
  if (place === undefined || resource === undefined || !isInPlace(resource, place))
    return undefined;
  const { namespace, name } = place;
  return {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}
