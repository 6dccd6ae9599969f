import { type JsonValue, textAt } from '#shared/core/json.ts';

/** The object of which Argo CD shows the details. */
export interface ShownObject {
  readonly group: string;
  readonly kind: string;
  /** `''` for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
  /** When it was created, RFC 3339. `''` if Argo CD does not say. */
  readonly created: string;
}

/** The headers by which Argo CD decides whether the user may use its proxy for an application. */
export interface ApplicationHeaders {
  readonly 'Argocd-Application-Name': string;
  readonly 'Argocd-Project-Name': string;
}

/**
 * The object in the property `resource` that Argo CD passes to a tab.
 *
 * @returns undefined as long as Argo CD has not read the object
 */
export function shownObject(resource: JsonValue | undefined): ShownObject | undefined {
  const kind = textAt(resource, 'kind');
  const name = textAt(resource, 'metadata', 'name');
  if (kind === '' || name === '') return undefined;
  const apiVersion = textAt(resource, 'apiVersion');
  const slash = apiVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    kind,
    namespace: textAt(resource, 'metadata', 'namespace'),
    name,
    created: textAt(resource, 'metadata', 'creationTimestamp'),
  };
}

/** The headers for requests on behalf of an application, which is the property `application` that Argo CD passes to a tab. */
export function applicationHeaders(application: JsonValue | undefined): ApplicationHeaders {
  const namespace = textAt(application, 'metadata', 'namespace');
  const name = textAt(application, 'metadata', 'name');
  return {
    'Argocd-Application-Name': `${namespace}:${name}`,
    'Argocd-Project-Name': textAt(application, 'spec', 'project') || 'default',
  };
}
