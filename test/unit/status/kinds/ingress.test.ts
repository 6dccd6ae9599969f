import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const INGRESS: WorkloadObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'site', namespace: 'shop', uid: 'wds-site', generation: 1 },
  spec: { rules: [{ host: 'site.example.com' }] },
};

function aggregate(rows: readonly PerWecRow[]): JsonObject | undefined {
  const fold = statusFold(INGRESS, new Map());
  return fold.finish(foldRows(fold, rows));
}

function wecs(...lists: readonly (readonly JsonValue[])[]): PerWecRow[] {
  return lists.map((ingress, index) => reported(`wec${index + 1}`, { loadBalancer: { ingress } }));
}

const IP = { ip: '203.0.113.50', ports: [{ port: 80, protocol: 'TCP' }] };
const OTHER_IP = { ip: '203.0.113.5' };
const HOST = { hostname: 'ing-2.example.com' };

describe('an aggregated Ingress looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_ingress.go)', () => {
  it.each([
    {
      name: 'L1: addresses of some WECs do not hide that one has none',
      rows: [...wecs([IP], [HOST]), reported('wec3', { loadBalancer: {} })],
      expected: 'Progressing',
      status: { loadBalancer: {} },
    },
    {
      name: 'addresses that an API server rejects do not keep those of others from being written',
      rows: wecs(
        [IP],
        [
          { ip: 'not-ip' },
          { ip: 5 },
          { hostname: 'UPPER_case!!' },
          { hostname: '203.0.113.5' },
          { ip: '203.0.113.5', ipMode: 'Bogus' },
          { ipMode: 'VIP', hostname: 'a.example.com' },
          'x',
        ],
      ),
      expected: 'Healthy',
      status: { loadBalancer: { ingress: [IP] } },
    },
    {
      name: 'L2: WECs may have different numbers of addresses',
      rows: wecs([IP], [OTHER_IP, HOST]),
      expected: 'Healthy',
      status: { loadBalancer: { ingress: [HOST, OTHER_IP, IP] } },
    },
    {
      name: 'an address that several WECs have stands once, whatever the order of its members',
      rows: wecs([IP, HOST], [{ ports: IP.ports, ip: IP.ip }], [HOST]),
      expected: 'Healthy',
      status: { loadBalancer: { ingress: [HOST, IP] } },
    },
    {
      name: 'a WEC that has returned nothing has no address',
      rows: [...wecs([IP], [HOST]), { wec: 'wec3' }],
      expected: 'Progressing',
      status: { loadBalancer: {} },
    },
    {
      name: 'a WEC whose object is being deleted has no address any more',
      rows: [
        ...wecs([IP]),
        reported('wec2', { loadBalancer: { ingress: [HOST] } }, { deleting: true }),
      ],
      expected: 'Progressing',
      status: { loadBalancer: {} },
    },
  ])('$name', ({ rows, expected, status }) => {
    expect(aggregate(rows)).toEqual(status);
    expect(aggregate([...rows].reverse())).toEqual(status);
    expect(assessArgoCd({ ...INGRESS, status })?.status).toBe(expected);
  });

  it('has no status if no WEC has returned one', () => {
    expect(aggregate([{ wec: 'wec1' }])).toBeUndefined();
  });
});
