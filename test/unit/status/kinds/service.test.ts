import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported, unreported } from '#test/fixtures/wec-rows.ts';

const SPECS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['ClusterIP', { type: 'ClusterIP' }],
  ['LoadBalancer', { type: 'LoadBalancer' }],
]);

function service(type = 'LoadBalancer'): WorkloadObject {
  const metadata = { name: 'front', namespace: 'shop', uid: 'wds-front' };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { type } };
}

function aggregate(rows: readonly PerWecRow[], workload = service()): JsonObject | undefined {
  const fold = statusFold(workload, SPECS);
  return fold.finish(foldRows(fold, rows));
}

function addressed(...ingress: readonly JsonValue[]): JsonObject {
  return { loadBalancer: { ingress } };
}

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

const IP = { ip: '203.0.113.10', ipMode: 'VIP' };
const OTHER_IP = { ip: '203.0.113.21', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] };
const HOST = { hostname: 'lb-2.example.com' };
const NONE = { loadBalancer: {} };

describe('an aggregated Service looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_service.go)', () => {
  it.each([
    {
      name: 'L1: addresses of some WECs do not hide that one has none',
      rows: wecs(addressed(IP), NONE, addressed(HOST)),
      expected: 'Progressing',
      status: NONE,
    },
    {
      name: 'L2: WECs may have different numbers of addresses',
      rows: wecs(addressed(OTHER_IP, IP), addressed(HOST)),
      expected: 'Healthy',
      status: addressed(HOST, IP, OTHER_IP),
    },
    {
      name: 'an address that several WECs have stands once',
      rows: wecs(addressed(IP), addressed(IP, HOST), addressed(HOST)),
      expected: 'Healthy',
      status: addressed(HOST, IP),
    },
    {
      name: 'a WEC that has returned nothing has no address',
      rows: [...wecs(addressed(IP)), { wec: 'wec2' }],
      expected: 'Progressing',
      status: NONE,
    },
    {
      name: 'a WEC that is known not to want a load balancer need not have an address',
      rows: [
        reported('wec1', addressed(IP), { specHash: 'LoadBalancer' }),
        reported('wec2', NONE, { specHash: 'ClusterIP' }),
      ],
      expected: 'Healthy',
      status: addressed(IP),
    },
    {
      name: 'where none wants one there is no address to show',
      rows: [reported('wec1', NONE, { specHash: 'ClusterIP' })],
      expected: 'Progressing',
      status: NONE,
    },
    {
      name: 'one that is no load balancer gets no addresses, which API servers would reject',
      workload: service('ClusterIP'),
      rows: [reported('wec1', addressed(IP), { specHash: 'LoadBalancer' })],
      expected: 'Healthy',
      status: NONE,
    },
    {
      name: 'one that is no load balancer is healthy, also in WECs that have returned nothing',
      workload: service('NodePort'),
      rows: [...wecs(NONE), { wec: 'wec2' }],
      expected: 'Healthy',
      status: NONE,
    },
  ])('$name', ({ workload, rows, expected, status }) => {
    expect(aggregate(rows, workload)).toEqual(status);
    expect(aggregate([...rows].reverse(), workload)).toEqual(status);
    expect(assessArgoCd({ ...service(), ...workload, status })?.status).toBe(expected);
  });

  it('has no status if no WEC has returned one', () => {
    expect(aggregate([{ wec: 'wec1' }])).toBeUndefined();
  });
});

describe('the conditions of an aggregated Service', () => {
  const condition = (status: string, minute: number): JsonObject => ({
    type: 'LoadBalancerPortsError',
    status,
    reason: `Is${status}`,
    message: '',
    lastTransitionTime: `2025-11-01T10:0${minute}:00Z`,
  });
  const having = (entry: JsonObject): JsonObject => ({ ...NONE, conditions: [entry] });

  it('go by the truth table, with the newest reason', () => {
    const rows = wecs(having(condition('False', 1)), having(condition('True', 5)));
    expect(aggregate(rows, service('ClusterIP'))).toEqual({
      ...NONE,
      conditions: [{ ...condition('True', 5), status: 'False' }],
    });
  });

  it('are Unknown if a WEC does not have them', () => {
    expect(aggregate(wecs(having(condition('True', 1)), NONE))).toEqual({
      ...NONE,
      conditions: [{ ...condition('True', 1), ...unreported('wec2') }],
    });
  });
});
