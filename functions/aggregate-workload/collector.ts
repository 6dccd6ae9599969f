import { collectorStatus } from '#shared/core/collector/collector-status.ts';
import { type JsonValue, member } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import { removeChecks } from '#shared/state/collector-checks.ts';
import { readHead } from '#shared/state/head.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import { takeWaits } from '#shared/state/waits.ts';
import type { AggregateDeps } from './deps.ts';
import { notifyBindings } from './notify-bindings.ts';
import { hintUnlessApplied, settle } from './settle.ts';

type CollectorSubject = Extract<Subject, { type: 'collector' }>;

/**
 * Checks a StatusCollector, and stores the check for the Bindings and workload objects. If the collector was deleted, its checks
 * are removed.
 */
async function desiredStatus(
  { store, collectors }: AggregateDeps,
  pk: string,
  observed: Observed | undefined,
): Promise<JsonValue> {
  if (observed?.content === undefined) {
    await removeChecks(store, pk);
    return null;
  }
  const { compilation, made } = collectors.check({ pk, observed });
  await collectors.store([made]);
  return collectorStatus(member(observed.content, 'generation'), compilation);
}

/**
 * Checks a StatusCollector, settles its desired status, and notifies the Bindings that name it. The Bindings notify their
 * workload objects, which so find the check. Notifies those that wait for the check, too. A deleted collector has no desired
 * status.
 *
 * @throws ContentionError
 */
export async function aggregateCollector(
  deps: AggregateDeps,
  subject: CollectorSubject,
  change: ChangeTime,
): Promise<void> {
  const pk = subjectPartition(subject);
  await retryContention(`StatusCollector ${subject.name}`, async () => {
    const head = await readHead(deps.store, pk);
    const [spec] = await readObserved(deps.store, [{ pk, sk: SORT.spec }]);
    const contentVersion = spec?.contentVersion ?? '';
    const desired = await desiredStatus(deps, pk, spec);
    const kept = { consumed: { [SORT.spec]: contentVersion } };
    const next = await settle(deps, subject, { head, desired, kept });
    if (next === undefined) return false;
    await hintUnlessApplied(deps, subject, { head: next, change });
    const namers = { pk, prefix: RANGE.membership, wds: subject.wds, ...change };
    await notifyBindings(deps, namers, `collector ${subject.name} ${contentVersion}`);
    for await (const waiting of takeWaits(deps.store, pk))
      await deps.dirty.send(
        waiting.map((one) =>
          encodeDirty(
            { type: 'subject', subject: one, ...change },
            `${pk} checked ${next.revision}`,
          ),
        ),
      );
    return true;
  });
}
