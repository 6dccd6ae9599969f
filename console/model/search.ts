import { VERDICTS, type Verdict, WORST_FIRST } from '#shared/core/explanation/shown-verdict.ts';
import type { WecObject } from './api-objects.ts';
import { filterWorkloads, hasLabel, type WorkloadRow } from './overview.ts';

/** What a search has found. */
export interface Hits {
  readonly workloads: readonly WorkloadRow[];
  readonly wecs: readonly WecObject[];
  /** A label, and how many workload objects and WECs have it. Absent if the text is no label. */
  readonly label?: { readonly text: string; readonly workloads: number; readonly wecs: number };
  /** Verdicts, and how many workload objects are as bad. */
  readonly verdicts: readonly { readonly verdict: Verdict; readonly count: number }[];
}

const MAX_HITS = 5;
const LABEL = /^[\w./-]+=[\w.-]*$/;

/** The kinds by the names that kubectl accepts: plural, singular and short. */
const SHORT: Readonly<Record<string, string>> = {
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  po: 'pod',
  svc: 'service',
  ing: 'ingress',
  cj: 'cronjob',
  hpa: 'horizontalpodautoscaler',
  pvc: 'persistentvolumeclaim',
};

function isOfKind({ kind, place: { resource } }: WorkloadRow, text: string): boolean {
  const wanted = SHORT[text] ?? text;
  return (
    kind.toLowerCase().startsWith(wanted) || resource === text || resource.startsWith(`${text}.`)
  );
}

function matches(row: WorkloadRow, text: string): boolean {
  const slash = text.indexOf('/');
  const { name, namespace } = row.place;
  if (slash < 0) return name.includes(text) || isOfKind(row, text);
  const [before, after] = [text.slice(0, slash), text.slice(slash + 1)];
  return name.startsWith(after) && (namespace === before || isOfKind(row, before));
}

/** Whether something has a label of which the beginning is given: `region=eu` for `region=eu-west`. */
function hasLabelBeginning(labels: Readonly<Record<string, string>>, text: string): boolean {
  const mark = text.indexOf('=');
  const key = text.slice(0, mark);
  if (mark < 1 || !Object.hasOwn(labels, key)) return false;
  const value = text.slice(mark + 1).toLowerCase();
  return labels[key]?.toLowerCase().startsWith(value) === true;
}

/** A shorter beginning of a verdict's word is rather the beginning of a name. */
const LEAST_WORD = 3;

function isWordOf(verdict: Verdict, text: string): boolean {
  return text.length >= LEAST_WORD && VERDICTS[verdict].word.toLowerCase().startsWith(text);
}

function isMeant({ metadata, silentSince }: WecObject, asked: string): boolean {
  const text = asked.toLowerCase();
  return (
    metadata.name.toLowerCase().includes(text) ||
    hasLabelBeginning(metadata.labels ?? {}, asked) ||
    (silentSince !== undefined && isWordOf('Silent', text))
  );
}

/** Finds what is meant: `deployment/web`, `shop/web`, part of a name, a WEC, a label, or a verdict. */
export function search(
  asked: string,
  {
    workloads,
    wecs,
  }: { readonly workloads: readonly WorkloadRow[]; readonly wecs: readonly WecObject[] },
): Hits {
  const label = asked.trim();
  const text = label.toLowerCase();
  if (text === '') return { workloads: [], wecs: [], verdicts: [] };
  return {
    workloads: workloads.filter((row) => matches(row, text)).slice(0, MAX_HITS),
    wecs: wecs.filter((wec) => isMeant(wec, label)).slice(0, MAX_HITS),
    verdicts: WORST_FIRST.filter((verdict) => isWordOf(verdict, text))
      .map((verdict) => ({ verdict, count: filterWorkloads(workloads, { verdict }).length }))
      .filter(({ verdict, count }) => verdict !== 'Silent' && count > 0),
    ...(LABEL.test(label)
      ? {
          label: {
            text: label,
            workloads: workloads.filter(({ labels }) => hasLabel(labels, label)).length,
            wecs: wecs.filter(({ metadata: { labels = {} } }) => hasLabel(labels, label)).length,
          },
        }
      : {}),
  };
}
