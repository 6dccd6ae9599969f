import type { SchemaSource } from '#shared/ports/schema-source.ts';

/** The schemas of the kinds of Kubernetes; their code is loaded when one is asked for, which few commands do. */
export function createLazySchemas(): SchemaSource {
  let source: Promise<SchemaSource> | undefined;
  return {
    async find(resource) {
      source ??= import('#shared/adapters/kubernetes/built-in-schemas.ts').then((module) =>
        module.createBuiltInSchemas(),
      );
      return (await source).find(resource);
    },
  };
}
