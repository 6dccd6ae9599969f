import type { KindSchema } from '#shared/core/expression/object-field.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';

/** The schemas of kinds that are known without a request to a cluster. */
export interface SchemaSource {
  /**
   * Finds the schema of a resource's kind. Returns undefined if it is not known. For the same resource, the same object is
   * returned each time.
   */
  find(resource: ApiResource): Promise<KindSchema | undefined>;
}
