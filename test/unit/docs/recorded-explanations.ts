import { explanationText } from '#local/cli/explain/explanation-text.ts';
import { readMembership } from '#shared/core/desired/membership.ts';
import { type Explanation, explainWorkload } from '#shared/core/explanation/explanation.ts';
import { at, isObject, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { type RecordedObject, recordedObjects } from '#test/property/status/recordings.ts';

/** A moment of a recording. */
export interface RecordedMoment {
  /** Scenario, kind and name of the object. */
  readonly title: string;
  /** What the WDS has: the object as it was applied in this step of the scenario, from 1. */
  readonly step: number;
  /** How many of the events have been received. */
  readonly events: number;
}

const WECS = ['wec1', 'wec2', 'wec3'];

/** A Binding that asks for the multi-WEC status of an object from all WECs. */
function bindingOf(group: string, version: string, ref: Readonly<Record<string, string>>) {
  const { namespace, ...rest } = ref;
  const entry = { group, version, ...rest, resourceVersion: '1', wantMultiWECReportedState: true };
  const object: JsonObject = {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'recorded' },
    spec: {
      destinations: WECS.map((clusterId) => ({ clusterId })),
      workload: namespace
        ? { namespaceScope: [{ ...entry, namespace }] }
        : { clusterScope: [entry] },
    },
  };
  return { name: 'recorded', uid: 'recorded', object };
}

function rowsAt(events: RecordedObject['events'], specs: Map<string, JsonValue>) {
  const rows = new Map<string, PerWecRow>();
  for (const { cluster, type, object } of events) {
    rows.delete(cluster);
    if (type === 'DELETED') continue;
    const { spec, ...returned } = returnedObject(object);
    const specHash = spec === undefined ? undefined : stringifyJson(spec);
    if (spec !== undefined && specHash !== undefined) specs.set(specHash, spec);
    const row = { wec: cluster, ...returned, ...(specHash === undefined ? {} : { specHash }) };
    rows.set(cluster, { wec: cluster, row });
  }
  return rows;
}

/** The explanation of the status that a WDS would have at a moment of a recording. */
export function recordedExplanation({ title, step, events }: RecordedMoment): Explanation {
  const recorded = recordedObjects().find((one) => one.title === title);
  const applied = recorded?.workloads[step - 1];
  if (recorded === undefined || applied === undefined)
    throw new Error(`no step ${step} of ${title}`);
  const { apiVersion, kind } = applied;
  const namespace = at(recorded.events[0]?.object, 'metadata', 'namespace');
  const place = typeof namespace === 'string' ? namespace : '';
  const metadata = isObject(applied.metadata) ? applied.metadata : {};
  const name = String(metadata['name']);
  const group = apiGroup(apiVersion);
  const resource = kindPlural(group, kind);
  const specs = new Map<string, JsonValue>();
  const binding = bindingOf(group, apiVersion.slice(apiVersion.indexOf('/') + 1), {
    ...{ resource, name, namespace: place },
  });
  return explainWorkload({
    workload: {
      ref: { wds: 'wds1', group, resource, namespace: place, name },
      uid: '',
      object: { ...applied, metadata: { ...metadata, ...(place ? { namespace: place } : {}) } },
      rows: rowsAt(recorded.events.slice(0, events), specs),
      specs,
    },
    membership: readMembership({ bindings: [binding], policies: [], collectors: [] }),
  });
}

/** The moments that docs/explanations.md shows, each with what is to be seen. */
const MOMENTS: readonly (RecordedMoment & { readonly heading: string; readonly text: string })[] = [
  {
    heading: 'A rollout that has old pods',
    title: 'deployment-rollout: Deployment web',
    step: 2,
    events: 75,
    text: 'The lowest numbers look finished, but a WEC still has old pods: `replicas` departs, so Argo CD waits for that WEC.',
  },
  {
    heading: 'A rollout that has passed its deadline',
    title: 'deployment-deadline: Deployment api',
    step: 2,
    events: 52,
    text: 'One WEC has passed its deadline, and decides the verdict and the condition Progressing.',
  },
  {
    heading: 'A WEC that has scaled on its own',
    title: 'hpa: Deployment elastic',
    step: 1,
    events: 17,
    text: 'An autoscaler in a WEC wants another number of replicas than the WDS, so the largest shortfall counts.',
  },
  {
    heading: 'Pods that differ between clusters',
    title: 'daemonset-rollout: DaemonSet agent',
    step: 1,
    events: 18,
    text: 'Each number is the lowest, and another WEC may have it.',
  },
  {
    heading: 'Revisions of one WEC',
    title: 'statefulset-rollout: StatefulSet db',
    step: 4,
    events: 70,
    text: 'Both revisions are from one WEC, because they only have a meaning together.',
  },
  {
    heading: 'A Job that one WEC has finished',
    title: 'job-complete: Job import',
    step: 1,
    events: 19,
    text: 'An entry Complete would look finished to Argo CD, so it is left out until every WEC has it.',
  },
  {
    heading: 'A Job that has failed',
    title: 'job-failed: Job migrate',
    step: 1,
    events: 23,
    text: 'All WECs have ended, and the failure decides.',
  },
  {
    heading: 'A quota that stops a WEC',
    title: 'replicaset-quota: ReplicaSet capped',
    step: 1,
    events: 16,
    text: 'Argo CD looks at the generation first. A WEC that acts on the current one has failed, so the aggregate has that of the WDS.',
  },
  {
    heading: 'An autoscaler that cannot scale',
    title: 'hpa: HorizontalPodAutoscaler elastic',
    step: 1,
    events: 10,
    text: 'A failure in one WEC must not be lost behind the newer entries of the others.',
  },
  {
    heading: 'A kind without a rule of its own',
    title: 'custom-resource: Widget gizmo',
    step: 1,
    events: 10,
    text: 'A number counts as 0 and a boolean as false where a WEC does not have it, and everything else is left out.',
  },
];

const WIDTH = 100;

/** The text of docs/explanations.md. */
export function explanationsDocument(): string {
  const sections = MOMENTS.map((moment) => {
    const [scenario = ''] = moment.title.split(':');
    const table = explanationText(recordedExplanation(moment), WIDTH);
    const place = `After ${moment.events} events of the recording \`${scenario}\`, with step ${moment.step} in the WDS.`;
    return `## ${moment.heading}\n\n${moment.text}\n${place}\n\n\`\`\`text\n${table}\`\`\`\n`;
  });
  return `# Ten explanations

These are explanations of statuses that real clusters have reported: moments of the recordings in \`test/fixtures/recordings\`,
where three clusters run the same object at different speeds. A Binding sends the object to all three and asks for multi-WEC
status. [\`starfold explain\`](cli.md#starfold-explain) prints such a table for any object, and [rules.md](rules.md) has the
meaning of each rule.

\`npm run recorded-explanations\` writes this page. A test fails if it is out of date.

${sections.join('\n')}`;
}
