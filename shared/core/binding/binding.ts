import { boundedErrors } from '#shared/core/error-list.ts';
import { NO_QUOTES } from '#shared/core/field-messages.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { readMembers, readSpec, unknownMembers } from '#shared/core/known-members.ts';
import { isUid, metadataFaults } from '#shared/core/metadata.ts';
import { isPathSegment, isSourceName, namesFault } from '#shared/core/names.ts';
import { objectKey } from '#shared/core/workload.ts';
import {
  distinct,
  MODULATION_MEMBERS,
  type Modulation,
  type ModulationFindings,
  mergeWants,
  readCollectorNames,
  readNestedCollectors,
} from './downsync-modulation.ts';
import { CORE_GROUP, fieldsMissing, NO_NAMESPACE, NO_REFERENCE, NO_WEC_NAME } from './messages.ts';
import { readBoundedList, readFlag } from './policy-field.ts';
import { readSilentAfter } from './silent-after.ts';

/** A workload object that a Binding names. `namespace` is `''` for a cluster-scoped object. */
export interface BoundObject {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly modulation: Modulation;
}

/** The part of a Binding's spec that the return of status needs. */
export interface BindingSpec {
  /** Names of the WECs, sorted, each once. */
  readonly destinations: readonly string[];
  /** Sorted by {@link objectKey}, each object once. */
  readonly objects: readonly BoundObject[];
  /**
   * The value of the annotation `starfold.dev/silent-after`, in milliseconds. Absent if the annotation is missing or
   * invalid.
   */
  readonly silentAfterMs?: number;
  /**
   * Each error of the spec names the field, the problem and the remedy. Beyond 100 errors, only their number is given.
   * The valid parts are still used.
   */
  readonly errors: readonly string[];
}

/** The result of reading a Binding. */
export interface ParsedBinding extends BindingSpec {
  /**
   * Outdated spellings that are still read: the field, and what to write instead (docs/architecture.md, section 9.1).
   */
  readonly outdated: readonly string[];
}

/**
 * How many destinations of a Binding count: more than fit into the 1.5 MiB that an API server accepts for an object.
 */
const MAX_DESTINATIONS = 100_000;
/** How many entries of each scope of a Binding's workload count. */
const MAX_OBJECTS = 20_000;
/** How many StatusCollectors of a Binding count in total. Each aggregation of the Binding reads them. */
export const MAX_BINDING_COLLECTORS = 1000;
const SPLIT = 'use several Bindings';
/** A placeholder for the WDS, which always has a name. */
const ANY_WDS = 'wds';

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The collector names of an entry, also in the outdated spelling. */
function entryCollectors(
  entry: JsonObject,
  path: string,
  findings: ModulationFindings,
): readonly string[] {
  const { statusCollectors, statusCollection } = entry;
  const names = readCollectorNames(statusCollectors, `${path}.statusCollectors`, findings.errors);
  return distinct([...names, ...readNestedCollectors(statusCollection, path, findings)]);
}

type Scope = 'clusterScope' | 'namespaceScope';

const REQUIRED: Readonly<Record<Scope, readonly string[]>> = {
  clusterScope: ['version', 'resource', 'name'],
  namespaceScope: ['version', 'resource', 'namespace', 'name'],
};

/** The members that the CustomResourceDefinition defines, and the outdated member. */
const SPEC_MEMBERS: ReadonlySet<string> = new Set(['destinations', 'workload']);
const WORKLOAD_MEMBERS: ReadonlySet<string> = new Set(['clusterScope', 'namespaceScope']);
const DESTINATION_MEMBERS: ReadonlySet<string> = new Set(['clusterId']);
const ENTRY_MEMBERS: ReadonlySet<string> = new Set([
  'group',
  ...REQUIRED.namespaceScope,
  'resourceVersion',
  ...MODULATION_MEMBERS,
  'statusCollection',
]);

function text(entry: JsonObject, field: string): string {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
}

/** The position of an entry. */
interface EntryLocation {
  readonly scope: Scope;
  readonly path: string;
}

/** Why an entry cannot be used: it does not identify an object. */
function namingFault(entry: JsonObject, { scope, path }: EntryLocation): string | undefined {
  const missing = REQUIRED[scope].filter((field) => text(entry, field) === '');
  if (missing.length > 0) return `${path}: ${fieldsMissing(missing.join(', '))}`;
  const group = entry['group'] ?? '';
  if (typeof group !== 'string') return `${path}.group: ${CORE_GROUP}`;
  const fault = namesFault({
    wds: ANY_WDS,
    group,
    resource: text(entry, 'resource'),
    namespace: scope === 'namespaceScope' ? text(entry, 'namespace') : '',
    name: text(entry, 'name'),
  });
  if (fault !== undefined) return `${path}: ${fault}`;
  return isPathSegment(text(entry, 'version'))
    ? undefined
    : `${path}.version: must be a version such as v1`;
}

/** Reports members that the return of status does not support, and unknown members. */
function checkOthers(entry: JsonObject, { scope, path }: EntryLocation, errors: string[]): void {
  errors.push(...unknownMembers(entry, path, ENTRY_MEMBERS));
  if (scope === 'clusterScope' && (entry['namespace'] ?? '') !== '')
    errors.push(`${path}.namespace: ${NO_NAMESPACE}`);
  readFlag(entry['createOnly'], `${path}.createOnly`, errors);
  const { resourceVersion = null } = entry;
  if (resourceVersion !== null && typeof resourceVersion !== 'string')
    errors.push(`${path}.resourceVersion: ${NO_QUOTES}`);
}

function boundObject(
  value: JsonValue,
  location: EntryLocation,
  findings: ModulationFindings,
): BoundObject | undefined {
  const { scope, path } = location;
  const { errors } = findings;
  if (!isObject(value)) {
    errors.push(`${path}: ${NO_REFERENCE}`);
    return undefined;
  }
  checkOthers(value, location, errors);
  const fault = namingFault(value, location);
  if (fault !== undefined) {
    errors.push(fault);
    return undefined;
  }
  const flag = (name: 'wantSingletonReportedState' | 'wantMultiWECReportedState'): boolean =>
    readFlag(value[name], `${path}.${name}`, errors);
  return {
    group: text(value, 'group'),
    version: text(value, 'version'),
    resource: text(value, 'resource'),
    namespace: scope === 'namespaceScope' ? text(value, 'namespace') : '',
    name: text(value, 'name'),
    modulation: {
      statusCollectors: entryCollectors(value, path, findings),
      wantSingletonReportedState: flag('wantSingletonReportedState'),
      wantMultiWECReportedState: flag('wantMultiWECReportedState'),
    },
  };
}

function destinations(spec: JsonObject, errors: string[]): readonly string[] {
  const names: string[] = [];
  const field = 'spec.destinations';
  const limit = { path: field, max: MAX_DESTINATIONS, remedy: SPLIT };
  for (const [index, entry] of readBoundedList(spec['destinations'], limit, errors).entries()) {
    const path = `${field}[${index}]`;
    const name = member(entry, 'clusterId');
    if (isObject(entry)) errors.push(...unknownMembers(entry, path, DESTINATION_MEMBERS));
    if (typeof name === 'string' && isSourceName(name)) names.push(name);
    else errors.push(`${path}.clusterId: ${NO_WEC_NAME}`);
  }
  return distinct(names);
}

/** The objects with the collectors that count. Collectors that are left out are reported in `errors`. */
function boundedCollectors(
  objects: Iterable<BoundObject>,
  errors: string[],
): readonly BoundObject[] {
  const counted = new Set<string>();
  const left = new Set<string>();
  const counts = (name: string): boolean => {
    if (counted.size < MAX_BINDING_COLLECTORS) counted.add(name);
    else if (!counted.has(name)) left.add(name);
    return counted.has(name);
  };
  const bounded = [...objects].map((object) => ({
    ...object,
    modulation: {
      ...object.modulation,
      statusCollectors: object.modulation.statusCollectors.filter(counts),
    },
  }));
  if (left.size > 0)
    errors.push(
      `spec.workload: names ${counted.size + left.size} StatusCollectors, and only ${MAX_BINDING_COLLECTORS} count: ${SPLIT}`,
    );
  return bounded;
}

/**
 * Reads a Binding: its destinations and the workload objects of both scopes. If an object is named twice, the requests
 * are combined (KubeStellar, combined status: booleans by OR, collectors by union). Errors are reported, not thrown.
 * Every valid entry is used, up to the bounds of the lists (docs/security.md, "Bounds").
 */
export function parseBinding(binding: JsonObject): ParsedBinding {
  const findings: ModulationFindings = { errors: [], outdated: [] };
  const { errors } = findings;
  const objects = new Map<string, BoundObject>();
  errors.push(...metadataFaults(binding));
  const { errors: faults, ...silentAfter } = readSilentAfter(binding);
  errors.push(...faults);
  const spec = readSpec(binding, SPEC_MEMBERS, errors);
  const workload = readMembers(
    spec['workload'],
    { path: 'spec.workload', members: WORKLOAD_MEMBERS },
    errors,
  );
  for (const scope of ['clusterScope', 'namespaceScope'] as const) {
    const field = `spec.workload.${scope}`;
    const limit = { path: field, max: MAX_OBJECTS, remedy: SPLIT };
    for (const [index, entry] of readBoundedList(workload[scope], limit, errors).entries()) {
      const object = boundObject(entry, { scope, path: `${field}[${index}]` }, findings);
      if (object === undefined) continue;
      const key = objectKey(object);
      const known = objects.get(key);
      objects.set(
        key,
        known === undefined
          ? object
          : { ...object, modulation: mergeWants(known.modulation, object.modulation) },
      );
    }
  }
  const sorted = [...objects].sort(([a], [b]) => byText(a, b)).map(([, object]) => object);
  return {
    destinations: destinations(spec, errors),
    objects: boundedCollectors(sorted, errors),
    ...silentAfter,
    errors: boundedErrors(errors),
    outdated: findings.outdated,
  };
}

/** UID of the BindingPolicy that owns a Binding, or `undefined` if the Binding was made by hand. */
export function ownerPolicyUid(binding: JsonObject): string | undefined {
  const owners = at(binding, 'metadata', 'ownerReferences');
  if (!isArray(owners)) return undefined;
  const owner = owners.find((reference) => member(reference, 'kind') === 'BindingPolicy');
  const uid = member(owner, 'uid');
  return isUid(uid) ? uid : undefined;
}
