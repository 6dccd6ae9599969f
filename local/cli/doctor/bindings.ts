import { parseSubject } from '#shared/core/subject.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { BINDING_RESULT } from '#shared/state/contents.ts';
import { readHead, readResult, resultKey } from '#shared/state/head.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { reportedBindings } from '#shared/state/reported-bindings.ts';
import { type Finding, ok, warning } from './finding.ts';
import { allReporting, moreBindings, notReporting } from './messages.ts';
import { titleOf } from './subjects.ts';

const MAX_NAMED = 20;

/** A Binding whose condition `WECsReporting` is False, and why. `undefined` if it is True or not known yet. */
async function reportingFault(store: ItemStore, { pk }: ItemKey): Promise<string | undefined> {
  const subject = parseSubject(pk);
  const result = await readResult(store, pk, await readHead(store, pk));
  if (result === undefined) return undefined;
  const { reporting } = BINDING_RESULT.decode(result, resultKey(subject)) ?? {};
  return reporting?.status === 'False' ? `${titleOf(subject)}: ${reporting.message}` : undefined;
}

/** Which Bindings send to WECs that are silent or have never reported, with the names of these WECs. */
export async function checkBindings(store: ItemStore): Promise<readonly Finding[]> {
  let bindings = 0;
  const texts: string[] = [];
  for (const { name } of await readSourceHeartbeats(store, 'wds'))
    for await (const keys of reportedBindings(store, name)) {
      bindings += keys.length;
      const found = await Promise.all(keys.map((key) => reportingFault(store, key)));
      texts.push(...found.filter((text) => text !== undefined));
    }
  if (texts.length === 0) return [ok('Bindings', allReporting(bindings))];
  const findings = texts.slice(0, MAX_NAMED).map((text) => warning('Bindings', notReporting(text)));
  const others = texts.length - findings.length;
  return others === 0
    ? findings
    : [...findings, warning('Bindings', notReporting(moreBindings(others)))];
}
