import fc from 'fast-check';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { literalIngress } from './ingress-sets.ts';

const entry = fc.constantFrom<JsonObject[]>(
  { ip: '203.0.113.10', ipMode: 'VIP' },
  { ip: '203.0.113.21', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] },
  { hostname: 'lb-2.example.com' },
);

const condition: fc.Arbitrary<JsonObject> = fc
  .record({
    status: fc.constantFrom('True', 'False', 'Unknown'),
    minute: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ status, minute }) => ({
    type: 'LoadBalancerPortsError',
    status,
    reason: `Is${status}`,
    message: '',
    lastTransitionTime: `2025-11-01T10:0${minute}:00Z`,
  }));

function isLoadBalancer(object: JsonObject | undefined): boolean {
  return at(object, 'spec', 'type') === 'LoadBalancer';
}

/** Services of any type; only a LoadBalancer has addresses. */
export const SERVICE: KindSets = {
  apiVersion: 'v1',
  kind: 'Service',
  served: { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
  readsGeneration: false,
  hasGeneration: false,
  literal: { numbers: [], more: literalIngress },
  specs: fc.record({
    type: fc.oneof({ weight: 4, arbitrary: fc.constant('LoadBalancer') }, fc.constant('ClusterIP')),
  }),
  differingSpec: () => fc.record({ type: fc.constantFrom('LoadBalancer', 'NodePort') }),
  statuses: (spec) =>
    fc
      .record({
        list: fc.oneof(
          { weight: 6, arbitrary: fc.uniqueArray(entry, { minLength: 1, maxLength: 3 }) },
          fc.constant([]),
        ),
        entries: fc.array(condition, { maxLength: 1 }),
      })
      .map(({ list, entries }) => ({
        loadBalancer: list.length > 0 && spec['type'] === 'LoadBalancer' ? { ingress: list } : {},
        ...(entries.length === 0 ? {} : { conditions: entries }),
      })),
  unavoidable({ workload, wecs }, { found, expected }) {
    if (!isLoadBalancer(workload) && found === 'Healthy')
      return 'the object in the WDS is no LoadBalancer: Healthy, whatever its status says';
    const isOwnType = ({ object }: (typeof wecs)[number]): boolean =>
      object !== undefined && !isLoadBalancer(object);
    return wecs.every(isOwnType) && expected === 'Healthy'
      ? 'no WEC has a LoadBalancer: none has an address that would make the one in the WDS Healthy'
      : undefined;
  },
};
