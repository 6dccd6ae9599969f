import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { ExplanationObject, WecStatusObject } from '#console/model/api-objects.ts';
import { type WorkloadRow, workloadRow } from '#console/model/overview.ts';
import {
  placeKey,
  placeOf,
  type Route,
  routeText,
  type WorkloadPlace,
} from '#console/model/routes.ts';
import { type WecRow, wecRow } from '#console/model/wec-row.ts';
import { selectorOf } from '#console/model/workload.ts';
import { Blank, Refusal } from '../parts/blank.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { Age } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import {
  allExplanations,
  clusterExplanations,
  explanations,
  follow,
  noteChange,
  titled,
} from '../state.ts';
import { statusesPath } from './use-raw.ts';
import { WecTable } from './wec-table.tsx';
import { WhyTab } from './why.tsx';
import { WorkloadFacts } from './workload-facts.tsx';

type Asked = Route & { screen: 'workload' | 'why' };

/** Follows what each WEC says about one object. */
function useRows(workload: WorkloadPlace): Follower<WecStatusObject, WecRow> | undefined {
  const found = useSignal<Follower<WecStatusObject, WecRow> | undefined>(undefined);
  useEffect(() => {
    const { follower, stop } = follow<WecStatusObject, WecRow>({
      path: statusesPath(workload),
      query: { fieldSelector: selectorOf(workload) },
      rowOf: wecRow,
      onChange: noteChange,
    });
    found.value = follower;
    return stop;
  }, []);
  return found.value;
}

function Message({
  row,
  explanation,
}: {
  readonly row: WorkloadRow;
  readonly explanation: ExplanationObject;
}) {
  const { decidedBy, more, message } = row;
  if (decidedBy === undefined)
    return (
      <p class="msg">
        {message === '' ? (
          `All ${countText(explanation.wecs.qualified)} WECs are as asked.`
        ) : (
          <OutsideText text={message} />
        )}
      </p>
    );
  return (
    <p class="msg">
      <a class="ul" href={routeText({ screen: 'wec', wec: decidedBy })}>
        <OutsideText text={decidedBy} />
      </a>
      {more > 0 && ` and ${countText(more)} more`}
      {': '}
      <OutsideText text={message} />
    </p>
  );
}

function Applied({ explanation: { applied } }: { readonly explanation: ExplanationObject }) {
  if (applied === undefined) return null;
  if (!applied.upToDate)
    return (
      <span class="r f-bad">
        not in the WDS: <OutsideText text={applied.problem ?? 'being written'} max={120} />
      </span>
    );
  return (
    <span class="r">
      in the WDS{applied.since !== undefined && ', unchanged for '}
      {applied.since !== undefined && <Age time={applied.since} />}
    </span>
  );
}

function Title({
  asked,
  explanation,
}: {
  readonly asked: Asked;
  readonly explanation: ExplanationObject;
}) {
  const { workload, screen } = asked;
  const row = workloadRow(explanation);
  const current = (tab: Asked['screen']) =>
    tab === screen ? { 'aria-current': 'page' as const } : {};
  return (
    <div class="title">
      <div class="obj">
        <span class="kind">
          <OutsideText text={row.kind} />
        </span>
        <h1 class="clip" title={workload.name}>
          {workload.namespace !== '' && (
            <span class="dim">
              <OutsideText text={workload.namespace} /> /{' '}
            </span>
          )}
          <OutsideText text={workload.name} />
        </h1>
        <VerdictMark verdict={row.verdict} />
        <Message row={row} explanation={explanation} />
      </div>
      <nav class="tabs" aria-label="Views of this object">
        <a href={routeText({ screen: 'workload', workload })} {...current('workload')}>
          WECs <span class="dim">{countText(explanation.wecs.qualified)}</span>
        </a>
        <a href={routeText({ screen: 'why', workload })} {...current('why')}>
          Why <span class="dim">.status</span>
        </a>
        <a href={routeText({ screen: 'query', about: workload })}>Ask about this</a>
        <Applied explanation={explanation} />
      </nav>
    </div>
  );
}

function Absent({ workload }: { readonly workload: WorkloadPlace }) {
  const [phase, other] = [explanations.phase.value, clusterExplanations.phase.value];
  if (phase.type === 'refused') return <Refusal phase={phase} isPage />;
  if (phase.type !== 'live' || other.type === 'loading')
    return <h1 class="say dim late">Reading what WECs say…</h1>;
  return (
    <Blank
      kind="empty"
      isPage
      title="No Binding sends this object to WECs"
      text={
        <>
          <OutsideText text={`${workload.resource} ${workload.namespace}/${workload.name}`} /> may
          have been deleted, or its Bindings may have been changed.
        </>
      }
    >
      <a class="btn" href="#/">
        All workloads
      </a>
    </Blank>
  );
}

/** One object: what the WDS says, beside what each WEC says. */
export function WorkloadScreen({ asked }: { readonly asked: Asked }) {
  const { workload } = asked;
  useEffect(
    () =>
      titled(() =>
        workload.namespace === '' ? workload.name : `${workload.namespace}/${workload.name}`,
      ),
    [],
  );
  const follower = useRows(workload);
  const key = placeKey(workload);
  const explanation = allExplanations.value.find((one) => placeKey(placeOf(one.workload)) === key);
  const shown = follower?.shown.value;
  const rows = useMemo(() => [...(shown?.values() ?? [])], [shown]);
  if (explanation === undefined) return <Absent workload={workload} />;
  const phase = follower?.phase.value;
  if (asked.screen === 'why')
    return (
      <>
        <Title asked={asked} explanation={explanation} />
        <WhyTab asked={asked} explanation={explanation} />
      </>
    );
  return (
    <>
      <Title asked={asked} explanation={explanation} />
      <div class="split left grow">
        <WorkloadFacts
          workload={workload}
          explanation={explanation}
          rows={rows}
          isRead={phase?.type === 'live'}
        />
        {phase?.type === 'refused' && rows.length === 0 ? (
          <Refusal phase={phase} />
        ) : (
          <WecTable asked={asked} rows={rows} follower={follower} />
        )}
      </div>
    </>
  );
}
