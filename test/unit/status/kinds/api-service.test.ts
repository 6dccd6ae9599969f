import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported, unreported } from '#test/fixtures/wec-rows.ts';

const SERVICE: WorkloadObject = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1beta1.metrics.k8s.io', uid: 'wds-api' },
  spec: { group: 'metrics.k8s.io', version: 'v1beta1' },
};

function available(status: string, reason: string, time = '10:00:00'): JsonObject {
  const lastTransitionTime = `2025-11-01T${time}Z`;
  return { type: 'Available', status, reason, message: `${reason}.`, lastTransitionTime };
}

function wecs(...entries: readonly JsonObject[]): PerWecRow[] {
  return entries.map((entry, index) => reported(`wec${index + 1}`, { conditions: [entry] }));
}

describe('an aggregated APIService looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_apiservice.go)', () => {
  it.each<[string, readonly PerWecRow[], readonly [ArgoCdStatus, JsonObject]]>([
    [
      'A1: a WEC that has not been processed keeps the aggregate waiting',
      [...wecs(available('True', 'Passed')), reported('wec2', {})],
      ['Progressing', { ...available('True', 'Passed'), ...unreported('wec2') }],
    ],
    [
      'a WEC that has returned nothing does too',
      [...wecs(available('True', 'Passed')), { wec: 'wec2' }],
      ['Progressing', { ...available('True', 'Passed'), ...unreported('wec2') }],
    ],
    [
      'one WEC that is not available makes the aggregate so',
      wecs(available('True', 'Passed'), available('False', 'MissingEndpoints', '10:05:00')),
      ['Progressing', available('False', 'MissingEndpoints', '10:05:00')],
    ],
    [
      'WECs that are all available are',
      wecs(available('True', 'Passed', '10:05:00'), available('True', 'Local')),
      ['Healthy', available('True', 'Passed', '10:05:00')],
    ],
  ])('%s', (_name, rows, [expected, entry]) => {
    const fold = statusFold(SERVICE, new Map());
    const status = fold.finish(foldRows(fold, rows)) ?? {};
    expect(status).toEqual({ conditions: [entry] });
    expect(assessArgoCd({ ...SERVICE, status }, '3')?.status).toBe(expected);
    expect(assessArgoCd({ ...SERVICE, status }, '2.14')?.status).toBe(expected);
  });
});
