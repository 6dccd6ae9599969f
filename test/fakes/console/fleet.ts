import type { JsonObject } from '#shared/core/json.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { Wec, WecState, WecStatus } from '#shared/core/status-api/wec-status.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';

const REGIONS = [
  ['ap-south', 5],
  ['ap-southeast', 5],
  ['eu-north', 5],
  ['eu-west', 10],
  ['us-east', 10],
  ['us-west', 5],
] as const;

const MINUTE = 60_000;

/** Names and texts that try to be markup, to hide, or to turn the reading direction round. */
export const HOSTILE = {
  wec: 'ap-southeast-005-edge-gateway-acme-plant-17-line-4',
  message: '<script>alert(1)</script> \u202egnp.exe <img src=x onerror=alert(2)>',
};

/** What one WEC says about an object where that differs from what all others say. */
interface Told {
  readonly health: 'Degraded' | 'Progressing' | 'Suspended';
  readonly ready?: number;
  readonly updated?: number;
  readonly generation?: readonly [observed: number, wec: number, source: number];
  readonly message?: string;
  readonly reason?: string;
}

/** An object of the fleet. */
interface Planned {
  readonly kind: string;
  readonly workload: WorkloadName;
  readonly replicas?: number;
  readonly sinceMs: number;
  readonly told: Readonly<Record<string, Told | WecState>>;
}

function workload(text: string): WorkloadName {
  const [namespace = '', resource = '', name = ''] = text.split('/');
  const dot = resource.indexOf('.');
  return dot < 0
    ? { group: '', resource, namespace, name }
    : { group: resource.slice(dot + 1), resource: resource.slice(0, dot), namespace, name };
}

function some<T>(
  region: string,
  [from, to]: readonly [number, number],
  told: T,
): Record<string, T> {
  const count = to - from + 1;
  const names = Array.from({ length: count }, (_, index) => String(from + index).padStart(3, '0'));
  return Object.fromEntries(names.map((name) => [`${region}-${name}`, told]));
}

const TEN = 10;
const OLD: Told['generation'] = [11, 12, 11];

const PLANNED: readonly Planned[] = [
  {
    kind: 'Deployment',
    workload: workload('shop/deployments.apps/web'),
    replicas: TEN,
    sinceMs: 10 * MINUTE,
    told: {
      ...some('us-west', [1, 5], { health: 'Progressing', ready: 7, updated: 7, generation: OLD }),
      ...some('us-east', [4, 6], { health: 'Progressing', ready: 8, updated: 9 }),
      'eu-west-003': {
        health: 'Degraded',
        ready: 4,
        message: 'Deployment "web" exceeded its progress deadline',
        reason: 'ProgressDeadlineExceeded',
      },
    },
  },
  {
    kind: 'Certificate',
    workload: workload(
      'edge/certificates.cert-manager.io/wildcard-edge-acme-corporation-international-holdings-tls',
    ),
    sinceMs: 180 * MINUTE,
    told: { 'ap-southeast-003': 'TooLarge' },
  },
  {
    kind: 'Deployment',
    workload: workload('payments/deployments.apps/checkout'),
    replicas: 6,
    sinceMs: 3 * MINUTE,
    told: { 'us-east-002': 'Missing', 'us-east-003': 'NotReported' },
  },
  {
    kind: 'Deployment',
    workload: workload('data/deployments.apps/orders'),
    replicas: 3,
    sinceMs: MINUTE / 2,
    told: { 'eu-west-008': { health: 'Progressing', ready: 2, updated: 3 } },
  },
  {
    kind: 'Deployment',
    workload: workload('edge/deployments.apps/banner'),
    replicas: 2,
    sinceMs: 2 * MINUTE,
    told: { [HOSTILE.wec]: { health: 'Progressing', ready: 1, message: HOSTILE.message } },
  },
  {
    kind: 'Deployment',
    workload: workload('ops/deployments.apps/backup'),
    replicas: 1,
    sinceMs: 72 * 60 * MINUTE,
    told: some('ap-south', [1, 5], { health: 'Suspended' }),
  },
  ...['shop/services/web', 'search/deployments.apps/indexer', 'search/deployments.apps/query'].map(
    (text): Planned => ({
      kind: text.includes('services') ? 'Service' : 'Deployment',
      workload: workload(text),
      ...(text.includes('services') ? {} : { replicas: TEN }),
      sinceMs: 14 * 60 * MINUTE,
      told: {},
    }),
  ),
];

/** WECs that are silent, and for how long. */
const SILENT: Readonly<Record<string, number>> = {
  'ap-south-004': 14 * MINUTE,
  'us-east-009': 126 * MINUTE,
};

/** What is asked for. */
export interface FleetOptions {
  readonly nowMs: number;
  /** How many WECs. By default 40, with names of places. */
  readonly size?: number;
}

function condition(type: string, [status, reason, message]: readonly string[]): JsonObject {
  const lastTransitionTime = '2026-11-22T17:30:58Z';
  return {
    type,
    status: status ?? '',
    reason: reason ?? '',
    message: message ?? '',
    lastTransitionTime,
  };
}

function conditions({ health, reason, message = '' }: Partial<Told>): readonly JsonObject[] {
  if (health === 'Degraded')
    return [
      condition('Available', [
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
      ]),
      condition('Progressing', ['False', reason ?? 'ReplicaSetUpdated', message]),
    ];
  const progress = health === undefined ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated';
  return [
    condition('Available', ['True', 'MinimumReplicasAvailable', '']),
    condition('Progressing', [
      'True',
      health === 'Suspended' ? 'DeploymentPaused' : progress,
      message,
    ]),
  ];
}

function deploymentStatus(replicas: number, told: Partial<Told>): JsonObject {
  const { ready = replicas, updated = replicas, generation = [12, 12, 12] } = told;
  return {
    availableReplicas: ready,
    conditions: conditions(told),
    observedGeneration: generation[0],
    readyReplicas: ready,
    replicas,
    ...(ready < replicas ? { unavailableReplicas: replicas - ready } : {}),
    updatedReplicas: updated,
  };
}

function messageOf({ message, ready = 0 }: Told, replicas = 0): string {
  const waits = 'Waiting for rollout to finish';
  return message ?? `${waits}: ${ready} of ${replicas} updated replicas are available`;
}

function stateOf(wec: string, said: Told | WecState | undefined): WecState {
  if (typeof said === 'string') return said;
  return SILENT[wec] === undefined ? 'Reported' : 'Silent';
}

/** What is reported, if anything is. */
function reportOf(state: WecState, told: Told | undefined, replicas: number | undefined) {
  if (state !== 'Reported' && state !== 'Silent') return { health: { status: 'Missing' } } as const;
  const health =
    told === undefined
      ? ({ status: 'Healthy' } as const)
      : { status: told.health, message: messageOf(told, replicas) };
  const status =
    replicas === undefined ? { loadBalancer: {} } : deploymentStatus(replicas, told ?? {});
  return { health, status };
}

/** A fleet in memory, of which the API tells: one that is broken in several ways, the same each time. */
export class Fleet {
  readonly source = new FakeStatusSource();
  readonly #nowMs: number;
  readonly wecs: readonly string[];

  constructor({ nowMs, size }: FleetOptions) {
    this.#nowMs = nowMs;
    const named = REGIONS.flatMap(([region, count]) => Object.keys(some(region, [1, count], 0)));
    const known = named.map((name) => (name === 'ap-southeast-005' ? HOSTILE.wec : name));
    const more = Array.from({ length: Math.max(0, (size ?? 0) - known.length) }, (_, index) => {
      const [region] = REGIONS[index % REGIONS.length] as (typeof REGIONS)[number];
      return `${region}-${String(index + 100).padStart(5, '0')}`;
    });
    this.wecs = [...known, ...more];
    for (const wec of this.wecs) this.source.putWec(this.#wec(wec));
    const planned = size === undefined ? PLANNED : PLANNED.slice(0, 1);
    for (const one of planned) {
      this.source.bind(
        one.workload,
        this.wecs.map((wec) => this.status(one, wec)),
      );
      this.source.describe(one.workload, {
        metadata: { generation: 12, labels: { app: one.workload.name } },
        ...(one.replicas === undefined ? {} : { spec: { replicas: one.replicas } }),
      });
      const since = this.#ago(one.sinceMs);
      this.source.settle(one.workload, { applied: { upToDate: true, since }, refused: [] });
    }
    this.source.forget();
  }

  #ago(ms: number): string {
    return new Date(this.#nowMs - ms).toISOString();
  }

  #wec(name: string): Wec {
    const region = REGIONS.find(([one]) => name.startsWith(`${one}-`))?.[0] ?? '';
    const silentMs = SILENT[name];
    return {
      name,
      ownLabels: { region, tier: 'prod', provider: 'metal' },
      lastContact: this.#ago(silentMs ?? 5_000),
      ...(silentMs === undefined ? {} : { silentSince: this.#ago(silentMs) }),
      objects: PLANNED.length,
      forwarderVersion: region === 'us-west' ? '1.7.2' : '1.8.0',
    };
  }

  /** What a WEC says about an object. */
  status({ kind, workload: name, replicas, told, sinceMs }: Planned, wec: string): WecStatus {
    const said = told[wec];
    const differs = typeof said === 'object' ? said : undefined;
    const state = stateOf(wec, said);
    const [observed, own, source] = differs?.generation ?? [12, 12, 12];
    const changedMs = differs === undefined ? 12 * 60 * MINUTE : sinceMs;
    return {
      workload: name,
      kind,
      wec,
      created: this.#ago(30 * 24 * 60 * MINUTE),
      ownLabels: { app: name.name },
      state,
      lastContact: this.#ago(SILENT[wec] ?? 5_000),
      lastUpdate: this.#ago(SILENT[wec] ?? changedMs),
      generation: { wec: own, source, observed },
      bindings: ['bp-shop'],
      ...reportOf(state, differs, replicas),
    };
  }

  /** Sends so many more Deployments to a WEC, which are as asked. */
  addObjects(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const name = `app-${String(index).padStart(4, '0')}`;
      const one: Planned = {
        kind: 'Deployment',
        workload: workload(`many/deployments.apps/${name}`),
        replicas: 1,
        sinceMs: MINUTE,
        told: {},
      };
      this.source.bind(one.workload, [this.status(one, 'eu-west-001')]);
      this.source.describe(one.workload, {
        metadata: { generation: 12, labels: { app: name } },
        spec: { replicas: 1 },
      });
    }
    this.source.forget();
  }

  /** One WEC says something else about the first object, and the aggregate follows. */
  change(wec: string, told: Told): void {
    const [first] = PLANNED as readonly [Planned, ...Planned[]];
    this.source.put(this.status({ ...first, sinceMs: 0, told: { [wec]: told } }, wec));
    const since = new Date(this.#nowMs).toISOString();
    this.source.settle(first.workload, { applied: { upToDate: true, since }, refused: [] });
  }
}
