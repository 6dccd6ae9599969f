const VERSIONED_NAME = /^([a-z0-9-]+)(?:\.([a-z0-9.-]+))?\/(v[a-z0-9]+)$/;

interface NamedResource {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A resource as users read and write it: `deployments.apps/v1`, or `services/v1` for the core group. */
export function resourceName({ group, version, resource }: NamedResource): string {
  return group === '' ? `${resource}/${version}` : `${resource}.${group}/${version}`;
}

/**
 * Reads a resource in the form of users: `deployments.apps/v1`, or `services/v1` for the core group (`''`). `undefined`
 * if the text has another form.
 */
export function parseResourceName(text: string): NamedResource | undefined {
  const [, resource, group = '', version] = VERSIONED_NAME.exec(text) ?? [];
  if (resource === undefined || version === undefined) return undefined;
  return { group, version, resource };
}

/** `<group>/<resource>`: the name of a resource without its version. */
export function groupResource({ group, resource }: Omit<NamedResource, 'version'>): string {
  return `${group}/${resource}`;
}

/** Whether two are the same resource in the same version. */
export function isSameResource(a: NamedResource, b: NamedResource): boolean {
  return a.group === b.group && a.resource === b.resource && a.version === b.version;
}
