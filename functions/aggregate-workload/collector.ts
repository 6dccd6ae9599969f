import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { type JsonValue, member } from '#shared/core/json.ts';
import { ContentionError } from '#shared/errors.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import { readHead } from '#shared/state/head.ts';
import { RANGE, range, SORT, type Subject, subjectPartition } from '#shared/state/keys.ts';
import { readObserved } from '#shared/state/observed.ts';
import { pages } from '#shared/state/pages.ts';
import type { AggregateDeps } from './deps.ts';
import { hintUnlessApplied, MAX_ATTEMPTS, settle } from './settle.ts';

type CollectorSubject = Extract<Subject, { type: 'collector' }>;

function desiredStatus(content: JsonValue | undefined): JsonValue {
  if (content === undefined) return null;
  const parsed = compileStatusCollector(member(content, 'spec') ?? {});
  return {
    observedGeneration: member(content, 'generation') ?? 0,
    errors: parsed.ok ? [] : parsed.errors,
  };
}

async function tellBindings(
  deps: AggregateDeps,
  subject: CollectorSubject,
  cause: string,
): Promise<void> {
  const namers = range(subjectPartition(subject), RANGE.membership);
  for await (const items of pages(deps.store, namers)) {
    const messages = items.map(({ sk }) => {
      const name = sk.slice(RANGE.membership.length);
      const binding: Subject = { type: 'binding', wds: subject.wds, name };
      return encodeDirty({ type: 'subject', subject: binding }, cause);
    });
    if (messages.length > 0) await deps.dirty.send(messages);
  }
}

/**
 * Settles what the status of a StatusCollector should say, and tells the Bindings that name it (they tell their workload
 * objects). A collector that is gone wants nothing.
 *
 * @throws ContentionError
 */
export async function aggregateCollector(
  deps: AggregateDeps,
  subject: CollectorSubject,
): Promise<void> {
  const pk = subjectPartition(subject);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const head = await readHead(deps.store, pk);
    const [spec] = await readObserved(deps.store, [{ pk, sk: SORT.spec }]);
    const contentVersion = spec?.contentVersion ?? '';
    const desired = desiredStatus(spec?.content);
    const kept = { seen: { [SORT.spec]: contentVersion } };
    const next = await settle(deps, subject, { head, desired, kept });
    if (next === undefined) continue;
    await hintUnlessApplied(deps, subject, next);
    await tellBindings(deps, subject, `collector ${subject.name} ${contentVersion}`);
    return;
  }
  throw new ContentionError(`StatusCollector ${subject.name}`);
}
