import fc from 'fast-check';
import { at, equalJson, isArray, type JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';

const entry = fc.constantFrom<JsonObject[]>(
  { ip: '203.0.113.50' },
  { ip: '203.0.113.51', ports: [{ port: 80, protocol: 'TCP' }] },
  { hostname: 'ing-2.example.com' },
);

/** The addresses by the letter of the proposal: there if all WECs have the same ones. */
export function literalIngress(statuses: readonly JsonObject[]): JsonObject {
  const lists = statuses.map((status) => at(status, 'loadBalancer', 'ingress') ?? []);
  const [first = []] = lists;
  const isShared = lists.every((list) => equalJson(list, first));
  return { loadBalancer: isShared && isArray(first) && first.length > 0 ? { ingress: first } : {} };
}

/** Ingresses with and without addresses. */
export const INGRESS: KindSets = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  served: { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
  readsGeneration: false,
  hasGeneration: true,
  literal: { numbers: [], types: [], more: literalIngress },
  specs: fc.constant({ rules: [{ host: 'site.example.com' }] }),
  differingSpec: (spec) => fc.constant({ ...spec, ingressClassName: 'internal' }),
  olderSpec: (spec) => ({ ...spec, rules: [{ host: 'old.example.com' }] }),
  statuses: () =>
    fc
      .oneof(
        { weight: 6, arbitrary: fc.uniqueArray(entry, { minLength: 1, maxLength: 3 }) },
        fc.constant([]),
      )
      .map((list) => ({ loadBalancer: list.length === 0 ? {} : { ingress: list } })),
};
