import { spanText } from '#local/cli/deployment/lines.ts';
import { parseSubject, type Subject } from '#shared/core/subject.ts';
import { workloadTitle } from '#shared/core/workload.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { nextTryMs, readSetAside, type SetAside } from '#shared/state/set-aside.ts';
import { type Finding, ok, problem } from './finding.ts';
import { inManagementCluster, inWds, moreSetAside, NONE_SET_ASIDE, setAside } from './messages.ts';

const MAX_NAMED = 20;

/** A subject as findings name it. */
export function titleOf(subject: Subject): string {
  switch (subject.type) {
    case 'workload':
      return inWds(workloadTitle(subject.workload), subject.workload.wds);
    case 'binding':
      return inWds(`Binding ${subject.name}`, subject.wds);
    case 'collector':
      return inWds(`StatusCollector ${subject.name}`, subject.wds);
    case 'fleet': {
      const { upstream, resource, namespace, name } = subject;
      return inManagementCluster(`${resource} ${namespace}/${name}`, upstream);
    }
  }
}

function setAsideFinding(entry: SetAside, nowMs: number): Finding {
  const title = titleOf(parseSubject(entry.pk));
  const leftMs = nextTryMs(entry) - nowMs;
  const untilRetry = leftMs > 0 ? spanText(leftMs) : undefined;
  return problem('subjects', setAside(title, spanText(nowMs - entry.sinceMs), untilRetry));
}

/** Which subjects are not aggregated because their aggregation has ended the process. */
export async function checkSubjects(store: ItemStore, nowMs: number): Promise<readonly Finding[]> {
  const entries = await readSetAside(store);
  if (entries.length === 0) return [ok('subjects', NONE_SET_ASIDE)];
  const findings = entries.slice(0, MAX_NAMED).map((entry) => setAsideFinding(entry, nowMs));
  const others = entries.length - findings.length;
  return others === 0 ? findings : [...findings, problem('subjects', moreSetAside(others))];
}
