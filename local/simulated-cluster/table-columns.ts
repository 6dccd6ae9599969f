import { ageText } from '#shared/api/age.ts';
import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { type PrinterColumn, type ResourceDefinition, resourceKey } from './resources.ts';

/** One column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer';
  /** If 0, always shown. If greater, shown only with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: JsonObject, now: Date) => JsonValue;
}

type Path = readonly string[];

function text(name: string, cell: (object: JsonObject, now: Date) => JsonValue): Column {
  return { name, type: 'string', priority: 0, cell };
}

function field(name: string, ...path: Path): Column {
  return text(name, (object) => at(object, ...path) ?? '<none>');
}

function count(name: string, ...path: Path): Column {
  return { name, type: 'integer', priority: 0, cell: (object) => at(object, ...path) ?? 0 };
}

function ratio(name: string, part: Path, whole: Path): Column {
  return text(name, (object) => `${at(object, ...part) ?? 0}/${at(object, ...whole) ?? 1}`);
}

function since(name: string, ...path: Path): Column {
  return text(name, (object, now) => {
    const time = at(object, ...path);
    return typeof time === 'string' ? ageText(time, now) : '<none>';
  });
}

function sizes(name: string, ...path: Path): Column {
  return {
    name,
    type: 'integer',
    priority: 0,
    cell: (object) => {
      const value = at(object, ...path);
      return isObject(value) ? Object.keys(value).length : 0;
    },
  };
}

function items(object: JsonValue | undefined, ...path: Path): readonly JsonValue[] {
  const value = at(object, ...path);
  return isArray(value) ? value : [];
}

function joined(values: readonly (JsonValue | undefined)[]): string {
  return values.filter((value) => value !== undefined).join(',') || '<none>';
}

const AGE = since('Age', 'metadata', 'creationTimestamp');
const NAME = field('Name', 'metadata', 'name');

const PORTS = text('Port(s)', (object) =>
  joined(
    items(object, 'spec', 'ports').map(
      (port) => `${at(port, 'port')}/${at(port, 'protocol') ?? 'TCP'}`,
    ),
  ),
);
const ADDRESSES = (name: string): Column =>
  text(name, (object) =>
    joined(
      items(object, 'status', 'loadBalancer', 'ingress').map(
        (entry) => at(entry, 'ip') ?? at(entry, 'hostname'),
      ),
    ),
  );

function jobState(object: JsonObject): string {
  const held = items(object, 'status', 'conditions').filter(
    (condition) => at(condition, 'status') === 'True',
  );
  const types = held.map((condition) => at(condition, 'type'));
  for (const type of ['Complete', 'Failed', 'Suspended']) if (types.includes(type)) return type;
  return 'Running';
}

function readyContainers(object: JsonObject): string {
  const statuses = items(object, 'status', 'containerStatuses');
  const ready = statuses.filter((status) => at(status, 'ready') === true).length;
  return `${ready}/${items(object, 'spec', 'containers').length}`;
}

function restarts(object: JsonObject): number {
  return items(object, 'status', 'containerStatuses').reduce<number>(
    (sum, status) => sum + Number(at(status, 'restartCount') ?? 0),
    0,
  );
}

const DESIRED = ['spec', 'replicas'];
const READY = ['status', 'readyReplicas'];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  'deployments.apps': [
    ratio('Ready', READY, DESIRED),
    count('Up-to-date', 'status', 'updatedReplicas'),
    count('Available', 'status', 'availableReplicas'),
  ],
  'replicasets.apps': [
    count('Desired', ...DESIRED),
    count('Current', 'status', 'replicas'),
    count('Ready', ...READY),
  ],
  'statefulsets.apps': [ratio('Ready', READY, DESIRED)],
  'daemonsets.apps': [
    count('Desired', 'status', 'desiredNumberScheduled'),
    count('Current', 'status', 'currentNumberScheduled'),
    count('Ready', 'status', 'numberReady'),
    count('Up-to-date', 'status', 'updatedNumberScheduled'),
    count('Available', 'status', 'numberAvailable'),
  ],
  'jobs.batch': [
    text('Status', jobState),
    ratio('Completions', ['status', 'succeeded'], ['spec', 'completions']),
  ],
  'cronjobs.batch': [
    field('Schedule', 'spec', 'schedule'),
    text('Suspend', (object) => (at(object, 'spec', 'suspend') === true ? 'True' : 'False')),
    { ...count('Active'), cell: (object) => items(object, 'status', 'active').length },
    since('Last Schedule', 'status', 'lastScheduleTime'),
  ],
  'horizontalpodautoscalers.autoscaling': [
    text('Reference', (object) => {
      const target = at(object, 'spec', 'scaleTargetRef');
      return `${at(target, 'kind') ?? ''}/${at(target, 'name') ?? ''}`;
    }),
    count('MinPods', 'spec', 'minReplicas'),
    count('MaxPods', 'spec', 'maxReplicas'),
    count('Replicas', 'status', 'currentReplicas'),
  ],
  'ingresses.networking.k8s.io': [
    field('Class', 'spec', 'ingressClassName'),
    text('Hosts', (object) =>
      joined(items(object, 'spec', 'rules').map((rule) => at(rule, 'host') ?? '*')),
    ),
    ADDRESSES('Address'),
  ],
  'poddisruptionbudgets.policy': [
    field('Min Available', 'spec', 'minAvailable'),
    field('Max Unavailable', 'spec', 'maxUnavailable'),
    count('Allowed Disruptions', 'status', 'disruptionsAllowed'),
  ],
  pods: [
    text('Ready', readyContainers),
    field('Status', 'status', 'phase'),
    { ...count('Restarts'), cell: restarts },
  ],
  services: [
    text('Type', (object) => at(object, 'spec', 'type') ?? 'ClusterIP'),
    field('Cluster-IP', 'spec', 'clusterIP'),
    ADDRESSES('External-IP'),
    PORTS,
  ],
  namespaces: [field('Status', 'status', 'phase')],
  persistentvolumeclaims: [
    field('Status', 'status', 'phase'),
    field('Volume', 'spec', 'volumeName'),
    field('Capacity', 'status', 'capacity', 'storage'),
    field('StorageClass', 'spec', 'storageClassName'),
  ],
  configmaps: [sizes('Data', 'data')],
  secrets: [field('Type', 'type'), sizes('Data', 'data')],
  events: [
    field('Type', 'type'),
    field('Reason', 'reason'),
    field('Object', 'involvedObject', 'name'),
    field('Message', 'message'),
  ],
};

const STEP =
  /\.((?:\\.|[^.[\\])+)|\['((?:\\.|[^'\\])*)'\]|\[(\d+)\]|\[\?\(@\.(\w+)==["'](\w+)["']\)\]/g;

/**
 * Reads a part of kubectl's JSONPath: `.a.b`, `['a\.b']`, `[0]`, and `[?(@.type=="Ready")]`, of which the first entry
 * counts. Any other path finds nothing.
 */
function valueAtPath(object: JsonObject, jsonPath: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  let read = 0;
  for (const [step, member, quoted, index, filtered, wanted] of jsonPath.matchAll(STEP)) {
    read += step.length;
    const key = (member ?? quoted ?? '').replaceAll(/\\(.)/g, '$1');
    if (filtered !== undefined)
      value = items(value).find((entry) => at(entry, filtered) === wanted);
    else value = index === undefined ? at(value, key) : items(value)[Number(index)];
  }
  return read === jsonPath.length ? value : undefined;
}

function printerColumn({ name, type, jsonPath, priority = 0 }: PrinterColumn): Column {
  return {
    name,
    type: type === 'integer' ? 'integer' : 'string',
    priority,
    cell: (object, now) => {
      const value = valueAtPath(object, jsonPath);
      return type === 'date' && typeof value === 'string' ? ageText(value, now) : (value ?? null);
    },
  };
}

/** The columns of a resource: its name, its state, its age. */
export function columnsOf(definition: ResourceDefinition): readonly Column[] {
  const printed = definition.printerColumns?.map(printerColumn);
  const own = printed ?? COLUMNS[resourceKey(definition)] ?? [];
  const hasAge = own.some(({ name }) => name.toLowerCase() === 'age');
  return hasAge ? [NAME, ...own] : [NAME, ...own, AGE];
}
