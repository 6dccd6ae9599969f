import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';

/** What a Binding asks for one workload object. */
export interface Modulation {
  /** Names of StatusCollectors, sorted, each once. */
  readonly statusCollectors: readonly string[];
  readonly wantSingletonReportedState: boolean;
  readonly wantMultiWECReportedState: boolean;
}

/** A workload object that a Binding names. `namespace` is `''` for a cluster-scoped object. */
export interface BoundObject {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly modulation: Modulation;
}

/** The spec of a Binding, as far as the return of status is concerned. */
export interface BindingSpec {
  /** Names of the WECs, sorted, each once. */
  readonly destinations: readonly string[];
  /** Sorted by {@link boundObjectKey}, each object once. */
  readonly objects: readonly BoundObject[];
  /** What is wrong with the spec: the field, the fault, the remedy. What is right is used all the same. */
  readonly errors: readonly string[];
}

/** A Binding as it was read. */
export interface ParsedBinding extends BindingSpec {
  /** Outdated spellings, which are read all the same: the field, and what to write instead (design, section 9.1). */
  readonly outdated: readonly string[];
}

/** What there is to say of a spec. */
interface Findings {
  readonly errors: string[];
  readonly outdated: string[];
}

/** Orders and identifies the objects of a Binding. */
export function boundObjectKey(object: Omit<BoundObject, 'version' | 'modulation'>): string {
  return `${object.group}/${object.resource}/${object.namespace}/${object.name}`;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function distinct(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort(byText);
}

function mergeModulations(a: Modulation, b: Modulation): Modulation {
  return {
    statusCollectors: distinct([...a.statusCollectors, ...b.statusCollectors]),
    wantSingletonReportedState: a.wantSingletonReportedState || b.wantSingletonReportedState,
    wantMultiWECReportedState: a.wantMultiWECReportedState || b.wantMultiWECReportedState,
  };
}

function list(value: JsonValue | undefined, field: string, errors: string[]): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (isArray(value)) return value;
  errors.push(`${field} must be a list`);
  return [];
}

function flag(value: JsonValue | undefined, field: string, errors: string[]): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  errors.push(`${field} must be true or false`);
  return false;
}

function collectorNames(
  holder: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly string[] {
  const field = `${path}.statusCollectors`;
  const names: string[] = [];
  for (const name of list(member(holder, 'statusCollectors'), field, errors)) {
    if (typeof name === 'string' && name !== '') names.push(name);
    else errors.push(`${field} must hold names of StatusCollectors`);
  }
  return distinct(names);
}

/** The names in an entry; the combined-status document has them a level deeper. */
function entryCollectors(
  entry: JsonObject,
  path: string,
  { errors, outdated }: Findings,
): readonly string[] {
  const nested = member(entry, 'statusCollection') ?? null;
  const names = collectorNames(entry, path, errors);
  if (nested === null) return names;
  const field = `${path}.statusCollection`;
  outdated.push(`${field} is outdated: write its names as ${path}.statusCollectors`);
  return distinct([...names, ...collectorNames(nested, field, errors)]);
}

type Scope = 'clusterScope' | 'namespaceScope';

const REQUIRED: Readonly<Record<Scope, readonly string[]>> = {
  clusterScope: ['version', 'resource', 'name'],
  namespaceScope: ['version', 'resource', 'namespace', 'name'],
};

function text(entry: JsonObject, field: string): string {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
}

function boundObject(
  value: JsonValue,
  at: { readonly scope: Scope; readonly path: string },
  findings: Findings,
): BoundObject | undefined {
  const { scope, path } = at;
  const { errors } = findings;
  if (!isObject(value)) {
    errors.push(`${path} must be an object reference`);
    return undefined;
  }
  const missing = REQUIRED[scope].filter((field) => text(value, field) === '');
  if (missing.length > 0) {
    errors.push(`${path} lacks ${missing.join(', ')}: give each as a non-empty string`);
    return undefined;
  }
  return {
    group: text(value, 'group'),
    version: text(value, 'version'),
    resource: text(value, 'resource'),
    namespace: scope === 'namespaceScope' ? text(value, 'namespace') : '',
    name: text(value, 'name'),
    modulation: {
      statusCollectors: entryCollectors(value, path, findings),
      wantSingletonReportedState: flag(
        value['wantSingletonReportedState'],
        `${path}.wantSingletonReportedState`,
        errors,
      ),
      wantMultiWECReportedState: flag(
        value['wantMultiWECReportedState'],
        `${path}.wantMultiWECReportedState`,
        errors,
      ),
    },
  };
}

function destinations(spec: JsonValue | undefined, errors: string[]): readonly string[] {
  const names: string[] = [];
  const field = 'spec.destinations';
  for (const [index, entry] of list(member(spec, 'destinations'), field, errors).entries()) {
    const name = member(entry, 'clusterId');
    if (typeof name === 'string' && name !== '') names.push(name);
    else errors.push(`${field}[${index}].clusterId must be the name of a WEC`);
  }
  return distinct(names);
}

/**
 * Reads a Binding: destinations and workload objects of both scopes. An object named twice gets the union of what is
 * asked for it (KubeStellar, combined status: booleans are combined by OR, collectors by union). Faults are reported,
 * not thrown; every entry without a fault is used.
 */
export function parseBinding(binding: JsonObject): ParsedBinding {
  const findings: Findings = { errors: [], outdated: [] };
  const { errors } = findings;
  const objects = new Map<string, BoundObject>();
  const spec = member(binding, 'spec');
  for (const scope of ['clusterScope', 'namespaceScope'] as const) {
    const field = `spec.workload.${scope}`;
    for (const [index, entry] of list(at(spec, 'workload', scope), field, errors).entries()) {
      const object = boundObject(entry, { scope, path: `${field}[${index}]` }, findings);
      if (object === undefined) continue;
      const key = boundObjectKey(object);
      const known = objects.get(key);
      objects.set(
        key,
        known === undefined
          ? object
          : { ...object, modulation: mergeModulations(known.modulation, object.modulation) },
      );
    }
  }
  return {
    destinations: destinations(spec, errors),
    objects: [...objects.entries()].sort(([a], [b]) => byText(a, b)).map(([, object]) => object),
    ...findings,
  };
}

/** UID of the BindingPolicy that owns a Binding, `undefined` for a Binding made by hand. */
export function ownerPolicyUid(binding: JsonObject): string | undefined {
  const owners = at(binding, 'metadata', 'ownerReferences');
  if (!isArray(owners)) return undefined;
  const owner = owners.find((reference) => member(reference, 'kind') === 'BindingPolicy');
  const uid = member(owner, 'uid');
  return typeof uid === 'string' ? uid : undefined;
}
