import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported, unreported } from '#test/fixtures/wec-rows.ts';

const CERTIFICATE: WorkloadObject = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web', namespace: 'shop', uid: 'wds-web', generation: 1 },
  spec: { secretName: 'web-tls' },
};

/** As cert-manager's controllers write them. */
function condition(
  type: string,
  [status, reason]: readonly [status: string, reason: string],
  time = '10:00:00',
): JsonObject {
  const lastTransitionTime = `2025-11-01T${time}Z`;
  const message = `${reason}.`;
  return { type, status, reason, message, lastTransitionTime, observedGeneration: 1 };
}

const READY = condition('Ready', ['True', 'Ready'], '10:05:00');
const NOT_READY = condition('Ready', ['False', 'DoesNotExist']);
const FIRST = condition('Issuing', ['True', 'DoesNotExist']);
const RENEWING = condition('Issuing', ['True', 'Renewing'], '10:07:00');
const FAILED = condition('Issuing', ['False', 'Failed'], '10:09:00');

function wecs(...lists: readonly (readonly JsonObject[])[]): PerWecRow[] {
  return lists.map((conditions, index) => reported(`wec${index + 1}`, { conditions }));
}

function aggregate(rows: readonly PerWecRow[]): JsonObject {
  const fold = statusFold(CERTIFICATE, new Map());
  return fold.finish(foldRows(fold, rows)) ?? {};
}

describe("an aggregated Certificate looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD's health.lua)", () => {
  it.each<[string, readonly PerWecRow[], readonly [ArgoCdStatus, ...JsonObject[]]]>([
    [
      'I1: a renewal in one WEC is not hidden by WECs that have no such entry',
      wecs([READY, RENEWING], [READY]),
      ['Progressing', RENEWING, READY],
    ],
    [
      'I2: the first issuance in one WEC is no failure',
      wecs([NOT_READY, FIRST], [READY]),
      ['Progressing', FIRST, { ...READY, status: 'False' }],
    ],
    [
      'a renewal is not hidden by a newer one that has failed in another WEC',
      wecs([READY, RENEWING], [FAILED, READY]),
      ['Progressing', { ...RENEWING, lastTransitionTime: '2025-11-01T10:09:00Z' }, READY],
    ],
    [
      'of several renewals the newest gives the reason',
      wecs([READY, RENEWING], [NOT_READY, FIRST], [READY]),
      ['Progressing', RENEWING, { ...READY, status: 'False' }],
    ],
    [
      'a failure goes before a renewal, and the aggregate is the letter',
      wecs([READY, RENEWING], [FAILED, NOT_READY]),
      ['Degraded', FAILED, { ...READY, status: 'False' }],
    ],
    [
      'a failure goes before WECs without such an entry, and the aggregate is the letter',
      wecs([READY, RENEWING], [NOT_READY]),
      ['Degraded', { ...RENEWING, ...unreported('wec2') }, { ...READY, status: 'False' }],
    ],
    [
      'a WEC that has returned nothing keeps the aggregate waiting',
      [...wecs([READY]), { wec: 'wec2' }],
      ['Progressing', { ...READY, ...unreported('wec2') }],
    ],
    [
      'a certificate that all WECs have is healthy, although renewing it has failed in one',
      wecs([READY], [FAILED, READY]),
      ['Healthy', FAILED, READY],
    ],
  ])('%s', (_name, rows, [expected, ...conditions]) => {
    const status = aggregate(rows);
    expect(status).toEqual({ conditions });
    expect(aggregate([...rows].reverse())).toEqual(status);
    expect(assessArgoCd({ ...CERTIFICATE, status }, '3')?.status).toBe(expected);
    expect(assessArgoCd({ ...CERTIFICATE, status }, '2.14')?.status).toBe(expected);
  });

  it('shows the first expiry and renewal of all, and the lowest numbers', () => {
    const early = { notBefore: '2025-11-01T10:00:00Z', notAfter: '2026-01-30T10:00:00Z' };
    const late = { notBefore: '2025-11-08T10:00:00Z', notAfter: '2026-02-06T10:00:00Z' };
    const rows = [
      reported('wec1', { ...late, renewalTime: '2025-12-31T10:00:00Z', revision: 3 }),
      reported('wec2', { ...early, renewalTime: '2026-01-07T10:00:00Z', revision: 2 }),
      reported('wec3', { nextPrivateKeySecretName: 'web-x7', failedIssuanceAttempts: 2 }),
    ];
    const earliest = { notAfter: '2026-01-30T10:00:00Z', renewalTime: '2025-12-31T10:00:00Z' };
    expect(aggregate(rows)).toEqual(earliest);
    expect(aggregate([...rows].reverse())).toEqual(earliest);
    expect(aggregate(rows.slice(0, 2))).toMatchObject({ revision: 2 });
  });

  it('does not count what is no time', () => {
    const bogus = { notAfter: 'bogus', renewalTime: '2026-02-30T10:00:00Z' };
    const times = { notAfter: '2026-01-30T10:00:00Z', renewalTime: '2025-12-31T10:00:00Z' };
    const rows = [reported('wec1', bogus), reported('wec2', times)];
    expect(aggregate(rows)).toEqual(times);
    expect(aggregate([...rows].reverse())).toEqual(times);
    expect(aggregate([reported('wec1', bogus), reported('wec2', bogus)])).toEqual({});
  });
});
