import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { CHART, helm, objectsOf, valuesFile } from './helm.ts';

/** The namespace of the releases that are rendered here. */
export const CHART_NAMESPACE = 'chart';

/**
 * The text that helm renders for a documented set of values.
 *
 * @param options further options of `helm template`
 * @throws Error with helm's message where it refuses the values.
 */
export function template(set: string, ...options: readonly string[]): Promise<string> {
  const values = ['-f', valuesFile(set), ...options];
  return helm('template', 'forwarder', CHART, '--namespace', CHART_NAMESPACE, ...values);
}

const rendered = new Map<string, Promise<readonly JsonObject[]>>();

/** The objects of a documented set of values; rendered once. */
export function objects(set: string): Promise<readonly JsonObject[]> {
  const known = rendered.get(set) ?? template(set).then(objectsOf);
  rendered.set(set, known);
  return known;
}

/** Those of these kinds. */
export async function ofKind(
  set: string,
  ...kinds: readonly string[]
): Promise<readonly JsonObject[]> {
  return (await objects(set)).filter(({ kind }) => kinds.includes(String(kind)));
}

/**
 * The one object of this kind.
 *
 * @throws Error where there is none, or several.
 */
export async function only(set: string, kind: string): Promise<JsonObject> {
  const [object, ...others] = await ofKind(set, kind);
  if (object === undefined || others.length > 0) throw new Error(`${set}: not one ${kind}`);
  return object;
}

/** The rules of all roles of this kind: `Role` or `ClusterRole`. */
export async function rulesOf(set: string, kind: string): Promise<readonly JsonObject[]> {
  const roles = await ofKind(set, kind);
  return roles.flatMap(({ rules }) => (isArray(rules) ? (rules as JsonObject[]) : []));
}

/** A list of texts; empty for anything else. */
export function texts(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.map(String) : [];
}

/** What the ClusterRole lets be read, as `<resource>.<group>`. */
export async function readable(set: string): Promise<readonly string[]> {
  const rules = await rulesOf(set, 'ClusterRole');
  return rules
    .flatMap(({ apiGroups, resources }) =>
      texts(apiGroups).flatMap((group) => texts(resources).map((name) => `${name}.${group}`)),
    )
    .sort();
}
