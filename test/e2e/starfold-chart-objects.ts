import type { JsonObject } from '#shared/core/json.ts';
import { helm, objectsOf, STARFOLD_CHART, valuesFile } from './helm.ts';

/** The namespace of the releases that are rendered here, and the name of all releases. */
export const STARFOLD = { namespace: 'starfold-chart', name: 'starfold' } as const;

/**
 * The text that helm renders for a documented set of values of the chart of the whole of Starfold.
 *
 * @param options further options of `helm template`
 * @throws Error with helm's message where it refuses the values.
 */
export function starfoldTemplate(set: string, ...options: readonly string[]): Promise<string> {
  const { namespace, name } = STARFOLD;
  const values = ['-f', valuesFile(set, STARFOLD_CHART), ...options];
  return helm('template', name, STARFOLD_CHART, '--namespace', namespace, ...values);
}

/** The objects of a documented set of values. */
export async function starfoldObjects(
  set: string,
  ...options: readonly string[]
): Promise<readonly JsonObject[]> {
  return objectsOf(await starfoldTemplate(set, ...options));
}

/**
 * The one object of this kind.
 *
 * @throws Error where there is none, or several.
 */
export function onlyOf(objects: readonly JsonObject[], kind: string): JsonObject {
  const [object, ...others] = objects.filter((one) => one['kind'] === kind);
  if (object === undefined || others.length > 0) throw new Error(`not one ${kind}`);
  return object;
}
