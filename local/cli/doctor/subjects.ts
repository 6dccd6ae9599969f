import { spanText } from '#local/cli/deployment/lines.ts';
import { counted } from '#shared/core/counted.ts';
import { parseSubject, type Subject } from '#shared/core/subject.ts';
import { workloadTitle } from '#shared/core/workload.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { nextTryMs, readSetAside, type SetAside } from '#shared/state/set-aside.ts';
import { type Finding, ok, problem } from './finding.ts';
import { NONE_SET_ASIDE } from './messages.ts';

const MAX_NAMED = 20;
const REMEDY =
  'simplify the expressions of its StatusCollectors, or have clusters report less of it; the log of aggregate-workload shows how the function ended';

/** A subject as findings name it. */
export function titleOf(subject: Subject): string {
  switch (subject.type) {
    case 'workload':
      return `${workloadTitle(subject.workload)} in WDS ${subject.workload.wds}`;
    case 'binding':
      return `Binding ${subject.name} in WDS ${subject.wds}`;
    case 'collector':
      return `StatusCollector ${subject.name} in WDS ${subject.wds}`;
    case 'fleet': {
      const { upstream, resource, namespace, name } = subject;
      return `${resource} ${namespace}/${name} in management cluster ${upstream}`;
    }
  }
}

function setAsideFinding(entry: SetAside, nowMs: number): Finding {
  const title = titleOf(parseSubject(entry.pk));
  const leftMs = nextTryMs(entry) - nowMs;
  const next = leftMs > 0 ? `in ${spanText(leftMs)}` : 'now';
  const message = `${title} has been set aside for ${spanText(nowMs - entry.sinceMs)}: its aggregation ends the process; retried ${next}`;
  return problem('subjects', { message, remedy: REMEDY });
}

/** Which subjects are not aggregated because their aggregation has ended the process. */
export async function checkSubjects(store: ItemStore, nowMs: number): Promise<readonly Finding[]> {
  const entries = await readSetAside(store);
  if (entries.length === 0) return [ok('subjects', NONE_SET_ASIDE)];
  const findings = entries.slice(0, MAX_NAMED).map((entry) => setAsideFinding(entry, nowMs));
  const others = entries.length - findings.length;
  return others === 0
    ? findings
    : [
        ...findings,
        problem('subjects', {
          message: `${counted(others, 'more subject')} set aside`,
          remedy: REMEDY,
        }),
      ];
}
