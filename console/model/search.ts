import type { WecObject } from './api-objects.ts';
import { hasLabel, type WorkloadRow } from './overview.ts';

/** What a search has found. */
export interface Hits {
  readonly workloads: readonly WorkloadRow[];
  readonly wecs: readonly WecObject[];
  /** A label, and how many workload objects have it. Absent if the text is no label. */
  readonly label?: { readonly text: string; readonly count: number };
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

/** Finds what is meant: `deployment/web`, `shop/web`, part of a name, a WEC, or a label. */
export function search(
  asked: string,
  {
    workloads,
    wecs,
  }: { readonly workloads: readonly WorkloadRow[]; readonly wecs: readonly WecObject[] },
): Hits {
  const text = asked.trim().toLowerCase();
  if (text === '') return { workloads: [], wecs: [] };
  const label = asked.trim();
  return {
    workloads: workloads.filter((row) => matches(row, text)).slice(0, MAX_HITS),
    wecs: wecs
      .filter(({ metadata }) => metadata.name.toLowerCase().includes(text))
      .slice(0, MAX_HITS),
    ...(LABEL.test(label)
      ? {
          label: {
            text: label,
            count: workloads.filter(({ labels }) => hasLabel(labels, label)).length,
          },
        }
      : {}),
  };
}
