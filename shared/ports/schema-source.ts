import type { KindSchema } from '#shared/core/expression/object-field.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';

/** What is known of the schemas of kinds without asking any cluster. */
export interface SchemaSource {
  /**
   * The schema of the kind that a resource holds; `undefined` where it is not known. The same object each time for the
   * same resource.
   */
  find(resource: ApiResource): Promise<KindSchema | undefined>;
}
