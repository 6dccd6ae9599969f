import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ApiResource } from './built-in-kinds.ts';

const DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
} as const;

/** Returns the CustomResourceDefinition that can define a resource. Its name is `<plural>.<group>`. */
export function definitionName({ group, resource }: ApiResource): Omit<WorkloadRef, 'wds'> {
  return { ...DEFINITIONS, namespace: '', name: `${resource}.${group}` };
}

/** Whether an object is a CustomResourceDefinition. */
export function isDefinition({ group, resource }: Omit<WorkloadRef, 'wds'>): boolean {
  return group === DEFINITIONS.group && resource === DEFINITIONS.resource;
}
