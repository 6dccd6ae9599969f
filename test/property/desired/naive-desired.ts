import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { naiveGeneric } from '#test/property/status/naive-generic.ts';

/** What a Binding asks for an object that it names. */
export interface Asked {
  readonly singleton: boolean;
  readonly multi: boolean;
  readonly collectors: readonly string[];
}

/** A Binding, by what matters of it. */
export interface GivenBinding {
  readonly name: string;
  readonly uid: string;
  /** Of the BindingPolicy of the same name. */
  readonly policyUid?: string;
  readonly wecs: readonly string[];
  /** By the name of the object. */
  readonly asks: Readonly<Record<string, Asked>>;
}

/** An object in the WDS, and the statuses of the WECs that have reported it. */
export interface GivenObject {
  readonly name: string;
  readonly isDeleting: boolean;
  readonly statuses: Readonly<Record<string, JsonObject>>;
}

/** Of all objects here: a kind without a rule of its own. */
export const KIND = {
  ...{ apiVersion: 'example.com/v1', kind: 'Gadget' },
  ...{ group: 'example.com', version: 'v1', resource: 'gadgets', namespace: 'n' },
};

const LABELS = 'status.kubestellar.io/';
const EXECUTING = 'kubestellar.io/executing-count';
const SINGLETON = 'managed-by.kubestellar.io/singletonstatus';
const MULTI = 'managed-by.kubestellar.io/multiwecstatus';

/** The StatusCollectors, and what each says of the WECs of a Binding. Every status has a text `phase` and a number `n`. */
export const COLLECTORS: Readonly<
  Record<
    string,
    {
      readonly spec: JsonObject;
      readonly rows: (
        wecs: readonly string[],
        statuses: readonly JsonObject[],
      ) => readonly (readonly JsonObject[])[];
      readonly columns: readonly string[];
    }
  >
> = {
  phases: {
    spec: {
      filter: 'has(returned.status.phase)',
      groupBy: [{ name: 'phase', def: 'returned.status.phase' }],
      combinedFields: [{ name: 'count', type: 'COUNT' }],
      limit: 2,
    },
    columns: ['phase', 'count'],
    rows: (_wecs, statuses) => {
      const phases = statuses.map(({ phase }) => String(phase));
      return [...new Set(phases)]
        .sort()
        .slice(0, 2)
        .map((phase) => [text(phase), number(phases.filter((one) => one === phase).length)]);
    },
  },
  total: {
    spec: {
      filter: 'has(returned.status.phase)',
      combinedFields: [{ name: 'total', type: 'SUM', subject: 'returned.status.n' }],
      limit: 5,
    },
    columns: ['total'],
    rows: (_wecs, statuses) => [[number(statuses.reduce((sum, { n }) => sum + Number(n), 0))]],
  },
  wecs: {
    spec: { select: [{ name: 'wec', def: 'inventory.name' }], limit: 3 },
    columns: ['wec'],
    rows: (wecs) => wecs.slice(0, 3).map((wec) => [text(wec)]),
  },
};

function text(string: string): JsonObject {
  return { type: 'String', string };
}

function number(value: number): JsonObject {
  return { type: 'Number', float: String(value) };
}

function rowOf(wec: string, { statuses }: GivenObject): PerWecRow {
  const status = statuses[wec];
  return status === undefined ? { wec } : { wec, row: { wec, uid: '', generation: 0, status } };
}

/** What all Bindings together ask for the status of an object: from these WECs. */
interface Request {
  readonly wecs: readonly string[];
  readonly isSingleton: boolean;
  readonly isMulti: boolean;
}

function requestOf({ name }: GivenObject, naming: readonly GivenBinding[]): Request {
  const asking = naming.filter(({ asks }) => asks[name]?.singleton || asks[name]?.multi);
  return {
    wecs: [...new Set(asking.flatMap(({ wecs }) => wecs))].sort(),
    isSingleton: asking.some(({ asks }) => asks[name]?.singleton),
    isMulti: asking.some(({ asks }) => asks[name]?.multi),
  };
}

function statusOf(object: GivenObject, { wecs, isMulti }: Request): JsonObject | undefined {
  const [only = ''] = wecs;
  if (wecs.length === 1) return object.statuses[only];
  return isMulti ? naiveGeneric(wecs.map((wec) => rowOf(wec, object))) : undefined;
}

/** The `.status` and the labels of an object. */
function outcomeOf(object: GivenObject, request: Request): JsonObject {
  if (object.isDeleting) return { type: 'untouched' };
  const { wecs, isSingleton } = request;
  const status = statusOf(object, request);
  const labels = {
    [EXECUTING]: isSingleton ? String(wecs.length) : null,
    [SINGLETON]: status !== undefined && wecs.length === 1 ? 'true' : null,
    [MULTI]: status !== undefined && wecs.length > 1 ? 'true' : null,
  };
  return status === undefined ? { type: 'none', labels } : { type: 'status', status, labels };
}

function resultOf(name: string, object: GivenObject, wecs: readonly string[]): JsonObject[] {
  const collector = COLLECTORS[name];
  if (collector === undefined) return [];
  const statuses = wecs.map((wec) => object.statuses[wec]).filter((status) => status !== undefined);
  const rows = collector.rows(wecs, statuses).map((columns): JsonValue => ({ columns }));
  return [{ name, columnNames: collector.columns, ...(rows.length === 0 ? {} : { rows }) }];
}

function combinedStatusOf(object: GivenObject, binding: GivenBinding): JsonObject {
  const { group, resource, namespace, apiVersion, kind } = KIND;
  const { name } = object;
  const uid = `uid-${name}`;
  const label: Readonly<Record<string, string>> = {
    ...{ 'api-group': group, resource, namespace, name },
    'binding-policy': binding.name,
  };
  const wecs = [...new Set(binding.wecs)].sort();
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'CombinedStatus',
    metadata: {
      name: `${uid}.${binding.policyUid ?? binding.uid}`,
      namespace,
      labels: Object.fromEntries(
        Object.entries(label).map(([key, value]) => [`${LABELS}${key}`, value]),
      ),
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    results: [...(binding.asks[name]?.collectors ?? [])]
      .sort()
      .flatMap((collector) => resultOf(collector, object, wecs)),
  };
}

/** The Bindings that ask for the status of one WEC where it is not one, and nobody asks for that of several. */
function wrongOf(
  { name, isDeleting }: GivenObject,
  naming: readonly GivenBinding[],
  { wecs, isMulti }: Request,
): readonly string[] {
  if (isDeleting || wecs.length === 1 || (isMulti && wecs.length > 1)) return [];
  return naming.filter(({ asks }) => asks[name]?.singleton).map((binding) => binding.name);
}

/** What stands in the WDS for an object: slow, all at once, and by the words of docs/rules.md. */
export function naiveDesired(object: GivenObject, bindings: readonly GivenBinding[]) {
  const naming = bindings
    .filter(({ asks }) => asks[object.name] !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const request = requestOf(object, naming);
  return {
    status: outcomeOf(object, request),
    bindings: naming.map(({ name }) => name),
    combinedStatuses: naming
      .filter(({ asks }) => !object.isDeleting && (asks[object.name]?.collectors.length ?? 0) > 0)
      .map((binding) => combinedStatusOf(object, binding)),
    wrong: wrongOf(object, naming, request),
  };
}
