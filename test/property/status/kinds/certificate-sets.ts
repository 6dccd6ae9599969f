import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';

type Said = readonly [status: string, reason: string];

const time = fc.integer({ min: 0, max: 5 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);
const expiry = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.integer({ min: 1, max: 9 }).map((day) => `2026-02-0${day}T10:00:00Z`),
  },
  { weight: 1, arbitrary: fc.constant('no time') },
);

/** Reason, message and generation may be absent in cert-manager's API. */
function entryOf(type: string, ...said: readonly Said[]): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(fc.constantFrom(...said), time, fc.nat({ max: 9 }))
    .map(([[status, reason], lastTransitionTime, observed]) => ({
      type,
      status,
      lastTransitionTime,
      ...(reason === '' ? {} : { reason, message: `${reason}.` }),
      ...(observed === 0 ? {} : { observedGeneration: observed }),
    }));
}

const ready = fc.oneof(
  { weight: 9, arbitrary: entryOf('Ready', ['True', 'Ready']) },
  { weight: 2, arbitrary: entryOf('Ready', ['False', 'DoesNotExist'], ['False', 'Expired']) },
  entryOf('Ready', ['Unknown', 'Waiting'], ['True', ''], ['False', '']),
);
const issuing = fc.oneof(
  entryOf('Issuing', ['True', 'DoesNotExist'], ['True', 'Renewing'], ['True', '']),
  entryOf('Issuing', ['False', 'Failed'], ['False', 'Failed'], ['Unknown', '']),
);
const other = entryOf('example.com/Audited', ['True', 'Audited'], ['False', 'NotAudited']);

/** cert-manager adds Issuing before or after Ready, and removes it when the certificate has been issued. */
const conditions = fc
  .tuple(
    fc.option(ready, { nil: undefined, freq: 9 }),
    fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: issuing }),
    fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, other),
  )
  .map((entries) => entries.filter((entry) => entry !== undefined))
  .chain((entries) => fc.shuffledSubarray(entries, { minLength: entries.length }));

/** Certificates of cert-manager: issued, being issued for the first time or again, failed, not seen yet. */
export const CERTIFICATE: KindSets = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  readsGeneration: false,
  hasGeneration: true,
  literal: { numbers: ['revision', 'failedIssuanceAttempts'] },
  specs: fc.constant({ secretName: 'web-tls', duration: '2160h' }),
  differingSpec: (spec) =>
    fc.constantFrom('24h', '720h').map((duration) => ({ ...spec, duration })),
  olderSpec: (spec) => ({ ...spec, secretName: 'web-tls-before' }),
  statuses: () =>
    fc
      .record({
        numbers: fc.record(
          { revision: fc.integer({ min: 1, max: 9 }), failedIssuanceAttempts: fc.nat({ max: 3 }) },
          { requiredKeys: [] },
        ),
        times: fc.record(
          { notBefore: time, notAfter: expiry, renewalTime: expiry },
          { requiredKeys: [] },
        ),
        list: conditions,
      })
      .map(({ numbers, times, list }) => ({
        ...numbers,
        ...times,
        ...(list.length === 0 ? {} : { conditions: list }),
      })),
};
