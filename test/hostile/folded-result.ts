import { createDestinations } from '#shared/core/binding/destinations.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import {
  createWorkloadFold,
  type WorkloadPart,
  type WorkloadResult,
} from '#shared/core/desired/workload-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { returned, thing, workloadOf } from '#test/unit/write-results/pipeline-objects.ts';
import type { HostileResult } from './results.ts';

/** What is folded in each case. */
export const WEB = thing('web');

/** A collector of somebody else, whose name comes last. */
const HONEST: JsonObject = { combinedFields: [{ name: 'n', type: 'COUNT' }] };

/** The collectors of a case, and the honest one. */
export function collectorsOf({
  collectors,
}: Pick<HostileResult, 'collectors'>): readonly [string, JsonObject][] {
  return [...Object.entries(collectors), ['zz-honest', HONEST]];
}

/** The WECs of a case. */
export function names({ wecs }: HostileResult): readonly string[] {
  return Array.from({ length: wecs }, (_wec, index) => `wec${index}`);
}

/** What the fold makes of a case: the part of all rows, and its result. */
export function folded(hostile: HostileResult): { part: WorkloadPart; result: WorkloadResult } {
  const collectors = collectorsOf(hostile);
  const fold = createWorkloadFold({
    ref: workloadOf(WEB),
    object: {
      apiVersion: 'example.org/v1',
      kind: 'Thing',
      metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    },
    memberships: [
      {
        binding: 'all',
        bindingUid: 'b',
        version: 'v1',
        modulation: {
          statusCollectors: collectors.map(([name]) => name),
          wantSingletonReportedState: false,
          wantMultiWECReportedState: hostile.wantsStatus ?? false,
        },
        destinations: createDestinations('all', names(hostile)),
      },
    ],
    collectors: new Map(
      collectors.map(([name, spec]) => {
        const compilation = compileStatusCollector(spec);
        if (!compilation.ok) throw new Error(compilation.errors.join('; '));
        return [name, compilation.collector];
      }),
    ),
    specs: new Map(),
  });
  const part = foldRows(
    fold,
    names(hostile).map((wec, index) => ({
      wec,
      row: { wec, ...returned(hostile.status(index)) },
    })),
  );
  return { part, result: fold.finish(part) };
}
