import { measure } from 'mitata';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import { createWorkloadFold, type WorkloadFold } from '#shared/core/desired/workload-fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { parseJson, stringifyJson } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { compiled } from './collectors.ts';
import { recorded, statusWith, wdsDeployment } from './recorded-deployment.ts';

/** How many WECs have a row. */
export const WECS = 10_000;
/** The workload object in the WDS. */
export const OBJECT = wdsDeployment('web', 'shop');
const SPEC_HASH = 'recorded';

function wecName(index: number): string {
  return `wec-${String(index).padStart(5, '0')}`;
}

/** Every row has a status of its own, as rows that come out of a store have. One WEC in a hundred lags. */
export function rows(): readonly PerWecRow[] {
  return Array.from({ length: WECS }, (_row, index) => {
    const status = parseJson(stringifyJson(statusWith(index % 100 === 0 ? index % 5 : 5)));
    const wec = wecName(index);
    const said = { wec, uid: `uid-${index}`, generation: 1, specHash: SPEC_HASH, status };
    return { wec, row: { ...said, lastUpdate: '2026-11-21T09:13:45Z' } };
  });
}

/** The fold of the workload object for one Binding with these collectors. */
export function workloadFold(
  collectors: Readonly<Record<string, JsonObject>>,
  multi: boolean,
): WorkloadFold {
  const names = Array.from({ length: WECS }, (_name, index) => wecName(index));
  return createWorkloadFold({
    ref: { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
    object: OBJECT,
    memberships: [
      {
        binding: 'all',
        bindingUid: 'binding-uid',
        version: 'v1',
        modulation: {
          statusCollectors: Object.keys(collectors).sort(),
          wantSingletonReportedState: false,
          wantMultiWECReportedState: multi,
        },
        destinations: createDestinations('all', names),
      },
    ],
    collectors: new Map(Object.entries(collectors).map(([name, spec]) => [name, compiled(spec)])),
    specs: new Map([[SPEC_HASH, recorded('spec')]]),
  });
}

/** The median time of a call. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const { p50 } = await measure(work, { min_samples: 7, max_samples: 15, min_cpu_time: 5e8 });
  return p50 / 1e6;
}
