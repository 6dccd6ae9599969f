import {
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';

/**
 * Which member identifies an entry of a list of objects, by the name of the list (Kubernetes API reference, "patch
 * merge key"). A list with another name is replaced as a whole by a patch.
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  conditions: ['type'],
  containers: ['name'],
  env: ['name'],
  ephemeralContainers: ['name'],
  hostAliases: ['ip'],
  imagePullSecrets: ['name'],
  initContainers: ['name'],
  ownerReferences: ['uid'],
  // `ports` of a container are merged by containerPort, and those of a Service by port.
  ports: ['containerPort', 'port'],
  resourceClaims: ['name'],
  secrets: ['name'],
  topologySpreadConstraints: ['topologyKey'],
  volumeDevices: ['devicePath'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
};

/** Lists of plain values that a patch adds to. */
const MERGED_SETS: ReadonlySet<string> = new Set(['finalizers']);

const ORDER = '$setElementOrder/';
const REMOVED = '$deleteFromPrimitiveList/';

function keyOf(entry: JsonValue, keys: readonly string[]): JsonValue | undefined {
  for (const key of keys) {
    const value = member(entry, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

function mergeEntry(
  list: readonly JsonValue[],
  entry: JsonValue,
  keys: readonly string[],
): readonly JsonValue[] {
  const key = keyOf(entry, keys);
  if (key === undefined) return list;
  const index = list.findIndex((old) => equalJson(keyOf(old, keys), key));
  const deletes = member(entry, '$patch') === 'delete';
  if (index === -1) return deletes ? list : [...list, applyStrategicMergePatch(undefined, entry)];
  return deletes
    ? list.toSpliced(index, 1)
    : list.with(index, applyStrategicMergePatch(list[index], entry));
}

function mergeEntries(
  target: readonly JsonValue[],
  patch: readonly JsonValue[],
  keys: readonly string[],
): readonly JsonValue[] {
  const replaces = patch.some((entry) => member(entry, '$patch') === 'replace');
  return patch.reduce<readonly JsonValue[]>(
    (list, entry) => mergeEntry(list, entry, keys),
    replaces ? [] : target,
  );
}

function inOrder(
  list: readonly JsonValue[],
  order: readonly JsonValue[],
  keys: readonly string[],
): readonly JsonValue[] {
  const rank = (entry: JsonValue): number => {
    const key = isObject(entry) ? keyOf(entry, keys) : entry;
    const index = order.findIndex((wanted) =>
      equalJson(isObject(wanted) ? keyOf(wanted, keys) : wanted, key),
    );
    return index === -1 ? order.length : index;
  };
  return list.toSorted((a, b) => rank(a) - rank(b));
}

function mergeList(
  name: string,
  target: readonly JsonValue[],
  patch: readonly JsonValue[],
): readonly JsonValue[] {
  const keys = MERGE_KEYS[name];
  if (keys !== undefined && patch.every(isObject)) return mergeEntries(target, patch, keys);
  if (!MERGED_SETS.has(name)) return patch;
  return [...target, ...patch.filter((value) => !target.some((old) => equalJson(old, value)))];
}

function setMember(result: Record<string, JsonValue>, key: string, value: JsonValue): void {
  const old = result[key];
  if (value === null || member(value, '$patch') === 'delete') delete result[key];
  else if (isArray(value)) result[key] = mergeList(key, isArray(old) ? old : [], value);
  else result[key] = isObject(value) ? applyStrategicMergePatch(old, value) : value;
}

function keepOnly(result: Record<string, JsonValue>, kept: readonly JsonValue[]): void {
  for (const key of Object.keys(result)) if (!kept.includes(key)) delete result[key];
}

function obeyDirective(
  result: Record<string, JsonValue>,
  directive: string,
  value: JsonValue,
): void {
  if (!isArray(value)) return;
  if (directive === '$retainKeys') keepOnly(result, value);
  const name = directive.slice(directive.indexOf('/') + 1);
  const list = result[name];
  if (!isArray(list)) return;
  if (directive.startsWith(ORDER)) result[name] = inOrder(list, value, MERGE_KEYS[name] ?? []);
  if (directive.startsWith(REMOVED))
    result[name] = list.filter((entry) => !value.some((gone) => equalJson(gone, entry)));
}

/**
 * Applies a strategic merge patch: a merge patch in which lists of objects are merged by a key. The real rule takes the
 * key from the Go type of the field. Here, it only depends on the name of the list, which is right for the fields that
 * `kubectl apply`, `edit`, `set` and `label` patch. Supports `$patch: replace|delete`, `$retainKeys`,
 * `$setElementOrder` and `$deleteFromPrimitiveList`.
 */
export function applyStrategicMergePatch(
  target: JsonValue | undefined,
  patch: JsonValue,
): JsonValue {
  if (!isObject(patch)) return patch;
  const kept = isObject(target) && patch['$patch'] !== 'replace';
  const result: Record<string, JsonValue> = kept ? { ...target } : {};
  const directives: (readonly [string, JsonValue])[] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith('$')) setMember(result, key, value);
    else if (key !== '$patch') directives.push([key, value]);
  }
  // An order applies to the list after the merge.
  for (const [directive, value] of directives) obeyDirective(result, directive, value);
  return result satisfies JsonObject;
}
