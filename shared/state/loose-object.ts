import * as z from 'zod/mini';
import { $constructor, $ZodObjectJIT } from 'zod/v4/core';

// By their names: `z.core` would bring all of Zod into the bundle of a function.
type Init = (schema: z.ZodMiniObject, def: z.core.$ZodObjectDef) => void;
const initObject: Init = z.ZodMiniObject.init;
const initCompiled: Init = $ZodObjectJIT.init;

/** Zod compiles the check of an object for its classic schemas only. A compiled one takes a quarter of the time. */
const CompiledObject = $constructor<z.ZodMiniObject>('CompiledObject', (schema, def) => {
  initObject(schema, def);
  initCompiled(schema, def);
});

/**
 * The schema of an object that may have other members, and keeps them: `z.looseObject`, for objects that are read for each event.
 *
 * @param shape the schemas of its members
 */
export function looseObject<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$loose> {
  const schema: unknown = new CompiledObject({ type: 'object', shape, catchall: z.unknown() });
  // The schema has the shape.
  return schema as z.ZodMiniObject<Shape, z.core.$loose>;
}
