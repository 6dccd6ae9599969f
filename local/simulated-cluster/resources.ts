import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Resource, ResourceInfo } from '#shared/ports/kubernetes-api.ts';

/** A column that a CustomResourceDefinition defines (`additionalPrinterColumns`). */
export interface PrinterColumn {
  readonly name: string;
  /** OpenAPI type: `string`, `integer`, `number`, `boolean` or `date` (shown as an age). */
  readonly type: string;
  /**
   * Path such as `.metadata.labels['a\.b']`, `.status.rows[0].name`, `.status.conditions[?(@.type=="Ready")].status`.
   */
  readonly jsonPath: string;
  /** If 0 or absent, the column is always shown. If greater, it is shown only with `kubectl get -o wide`. */
  readonly priority?: number;
}

/** Everything that a simulated cluster knows about a resource that it serves. */
export interface ResourceDefinition extends ResourceInfo {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** `false` if objects have no `metadata.generation`. Default `true`. */
  readonly generation?: boolean;
  /** Whether `/scale` is served for `.spec.replicas`. Default `false`. */
  readonly scale?: boolean;
  /**
   * `.status` of an object without a written one, for kinds whose status the API server always encodes (recordings,
   * "Absent and zero"). It may depend on the object and the time (RFC 3339). If absent, such an object has no
   * `.status`.
   */
  readonly initialStatus?: JsonValue | ((object: JsonObject, now: string) => JsonValue);
  /** Field selector labels in addition to `metadata.name` and `metadata.namespace`, as paths in the object. */
  readonly fieldLabels?: readonly string[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** The OpenAPI schema of a CustomResourceDefinition. The built-in kinds have models. */
  readonly schema?: JsonObject;
}

/** The name of a resource without its version, as API servers show it: `deployments.apps`, `pods`. */
export function resourceKey(resource: Pick<Resource, 'group' | 'resource'>): string {
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
}

/** `apiVersion` of a resource: `apps/v1`, `v1`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** True for a resource of a CustomResourceDefinition: its group is neither built in nor `*.k8s.io`. */
export function isCustom(resource: Pick<Resource, 'group'>): boolean {
  return resource.group.includes('.') && !resource.group.endsWith('.k8s.io');
}

/** The plural names of a few resources that the simulation treats specially. */
export const NAMESPACES = 'namespaces';
export const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
