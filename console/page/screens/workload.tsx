import { useEffect, useMemo } from 'preact/hooks';
import { API } from '#console/live/client.ts';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { ExplanationObject, WecStatusObject } from '#console/model/api-objects.ts';
import {
  type CombinedStatusObject,
  type CombinedTable,
  combinedPath,
  combinedSelector,
  combinedTables,
} from '#console/model/combined.ts';
import { isExplanationChanged, type WorkloadRow, workloadRow } from '#console/model/overview.ts';
import {
  explanationKey,
  type Route,
  routeText,
  type WorkloadPlace,
} from '#console/model/routes.ts';
import { plainShown } from '#console/model/shown-text.ts';
import { othersText } from '#console/model/verdict-shares.ts';
import { isRowChanged, type WecRow, wecRow } from '#console/model/wec-row.ts';
import { calmText, selectorOf } from '#console/model/workload.ts';
import {
  clusterExplanations,
  explanations,
  noteChange,
  titled,
} from '#console/page/state/state.ts';
import { useFollower } from '#console/page/state/use-follower.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { Blank, Forbidden, type Needed, Refusal } from '../parts/blank.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { Age } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import { type CombinedFollower, CombinedTab, useTables } from './combined.tsx';
import { statusesPath } from './use-raw.ts';
import { WecTable } from './wec-table.tsx';
import { WhyTab } from './why.tsx';
import { WorkloadFacts } from './workload-facts.tsx';

type Asked = Route & { screen: 'workload' | 'combined' | 'why' };

/** Follows what each WEC says about one object, where that is shown: a window has few watches. */
function useRows(
  workload: WorkloadPlace,
  isShown: boolean,
): Follower<WecStatusObject, WecRow> | undefined {
  const options = {
    path: statusesPath(workload),
    query: { fieldSelector: selectorOf(workload) },
    rowOf: wecRow,
    isChanged: isRowChanged,
    onChange: noteChange,
  };
  return useFollower<WecStatusObject, WecRow>(isShown ? options : undefined, [isShown]);
}

const COMBINED_MS = 5_000;

function areChanged(before: readonly CombinedTable[], now: readonly CombinedTable[]): boolean {
  return JSON.stringify(before) !== JSON.stringify(now);
}

/** Follows its CombinedStatuses. Where only their number and one of them are shown, they are listed now and then. */
function useCombined(workload: WorkloadPlace, isShown: boolean): CombinedFollower | undefined {
  const options = {
    path: combinedPath(workload),
    query: { labelSelector: combinedSelector(workload) },
    rowOf: combinedTables,
    isChanged: areChanged,
    ...(isShown ? {} : { everyMs: COMBINED_MS }),
  };
  return useFollower<CombinedStatusObject, readonly CombinedTable[]>(options, [isShown]);
}

function Message({
  row: { decidedBy, more, message, verdict },
  explanation,
}: {
  readonly row: WorkloadRow;
  readonly explanation: ExplanationObject;
}) {
  if (decidedBy === undefined)
    return (
      <p class="msg">{message === '' ? calmText(explanation) : <OutsideText text={message} />}</p>
    );
  return (
    <p class="msg">
      <a class="ul" href={routeText({ screen: 'wec', wec: decidedBy })}>
        <OutsideText text={decidedBy} />
      </a>
      {more > 0 && ` and ${countText(more)} more`}
      {': '}
      <OutsideText text={message} />
      {/[.!?]$/.test(message) ? ' ' : '. '}
      {othersText(explanation, { verdict, named: more + 1 })}
    </p>
  );
}

/** The verdict, and who decides it. */
function Decided({ explanation }: { readonly explanation: ExplanationObject }) {
  const row = workloadRow(explanation);
  return (
    <>
      <VerdictMark verdict={row.verdict} />
      <Message row={row} explanation={explanation} />
    </>
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
  kind,
  explanation,
  tables,
}: {
  readonly asked: Asked;
  readonly kind: string;
  /** `undefined` while it is read. */
  readonly explanation: ExplanationObject | undefined;
  /** How many CombinedStatuses there are. */
  readonly tables: number;
}) {
  const { workload, screen } = asked;
  // What the table is limited to, the question is limited to as well.
  const only = asked.screen === 'workload' && asked.text?.includes('=') ? { only: asked.text } : {};
  const current = (tab: Asked['screen']) =>
    tab === screen ? { 'aria-current': 'page' as const } : {};
  return (
    <div class="title">
      <div class="obj">
        <span class="kind">
          <OutsideText text={kind} />
        </span>
        <h1 class="clip" title={plainShown(workload.name)}>
          {workload.namespace !== '' && (
            <span class="dim">
              <OutsideText text={workload.namespace} /> /{' '}
            </span>
          )}
          <OutsideText text={workload.name} />
        </h1>
        {explanation === undefined ? (
          <p class="msg dim late">Reading who decides its status…</p>
        ) : (
          <Decided explanation={explanation} />
        )}
      </div>
      <nav class="tabs" aria-label="Views of this object">
        <a href={routeText({ screen: 'workload', workload })} {...current('workload')}>
          WECs
          {explanation !== undefined && (
            <span class="dim"> {countText(explanation.wecs.qualified)}</span>
          )}
        </a>
        <a href={routeText({ screen: 'combined', workload })} {...current('combined')}>
          CombinedStatuses{tables > 0 && <span class="dim"> {countText(tables)}</span>}
        </a>
        <a href={routeText({ screen: 'why', workload })} {...current('why')}>
          Why <span class="dim long">.status</span>
        </a>
        <a href={routeText({ screen: 'query', about: workload, ...only })}>
          Ask<span class="long"> about this</span>
        </a>
        {explanation !== undefined && <Applied explanation={explanation} />}
      </nav>
    </div>
  );
}

/** What is needed to read what is said about an object: the verb on Starfold's resource, and the object itself. */
function neededFor(resource: 'explanations' | 'wecstatuses', workload: WorkloadPlace): Needed {
  const { namespace } = workload;
  const own = namespace === '' ? `cluster${resource}` : resource;
  const rights = [`list ${own}.status.starfold.dev`, `get ${workload.resource}`];
  const what = 'what WECs say about this object';
  return { what, rights, ...(namespace === '' ? {} : { namespace }) };
}

type ExplanationFollower = Follower<ExplanationObject, ExplanationObject>;

const CLUSTER_MS = 5_000;

/** Where the explanation of an object is found: among all, if these are read, or alone. */
function useExplanations(workload: WorkloadPlace): ExplanationFollower {
  const { namespace, resource, name } = workload;
  const all = namespace === '' ? clusterExplanations : explanations;
  const isAlone = !all.isRead.value;
  const options = {
    path:
      namespace === ''
        ? `${API}/clusterexplanations`
        : `${API}/namespaces/${encodeURIComponent(namespace)}/explanations`,
    query: { fieldSelector: fieldSelectorText({ 'metadata.name': `${resource}:${name}` }) },
    rowOf: (explanation: ExplanationObject) => explanation,
    isChanged: isExplanationChanged,
    ...(namespace === '' ? { everyMs: CLUSTER_MS } : {}),
  };
  return useFollower(isAlone ? options : undefined, [isAlone]) ?? all;
}

function Absent({
  workload,
  follower,
}: {
  readonly workload: WorkloadPlace;
  readonly follower: ExplanationFollower;
}) {
  const phase = follower.phase.value;
  const needed = neededFor('explanations', workload);
  if (phase.type === 'refused') return <Refusal phase={phase} needed={needed} isPage />;
  if (phase.type !== 'live') return <h1 class="say dim late">Reading what WECs say…</h1>;
  const [warning] = follower.warnings.value;
  if (warning?.includes(workload.resource) === true)
    return <Forbidden said={`${warning}.`} needed={needed} isPage />;
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

/** What each WEC says, beside what the WDS says. */
function WecsTab({
  asked,
  explanation,
  follower,
  tables,
}: {
  readonly asked: Route & { screen: 'workload' };
  /** `undefined` while it is read. */
  readonly explanation: ExplanationObject | undefined;
  readonly follower: Follower<WecStatusObject, WecRow> | undefined;
  readonly tables: readonly CombinedTable[];
}) {
  const { workload } = asked;
  const shown = follower?.shown.value;
  const rows = useMemo(() => [...(shown?.values() ?? [])], [shown]);
  const phase = follower?.phase.value;
  return (
    <div class="split left grow">
      {explanation === undefined ? (
        <aside class="col" aria-busy="true" />
      ) : (
        <WorkloadFacts
          workload={workload}
          explanation={explanation}
          rows={rows}
          isRead={phase?.type === 'live'}
          tables={tables}
        />
      )}
      {phase?.type === 'refused' && rows.length === 0 ? (
        <Refusal phase={phase} needed={neededFor('wecstatuses', workload)} />
      ) : (
        <WecTable asked={asked} rows={rows} follower={follower} />
      )}
    </div>
  );
}

/**
 * The kind of the object, by the first row, while its explanation is awaited: that is a fold over all WECs, so rows are there before.
 * `undefined`: there are no rows yet, or no explanation is to come.
 */
function kindAhead(
  source: ExplanationFollower,
  follower: Follower<WecStatusObject, WecRow> | undefined,
): string | undefined {
  const { type } = source.phase.value;
  if (type === 'live' || type === 'refused') return undefined;
  return follower?.shown.value.values().next().value?.kind;
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
  const follower = useRows(workload, asked.screen !== 'combined');
  const combined = useCombined(workload, asked.screen === 'combined');
  const source = useExplanations(workload);
  const explanation = source.shown.value.get(explanationKey(workload));
  const tables = useTables(combined);
  const ahead = asked.screen === 'workload' ? follower : undefined;
  const kind = explanation?.workload.kind ?? kindAhead(source, ahead);
  if (kind === undefined) return <Absent workload={workload} follower={source} />;
  return (
    <>
      <Title asked={asked} kind={kind} explanation={explanation} tables={tables.length} />
      {asked.screen === 'why' && explanation !== undefined && (
        <WhyTab asked={asked} explanation={explanation} follower={follower} />
      )}
      {asked.screen === 'combined' && (
        <CombinedTab workload={workload} follower={combined} tables={tables} />
      )}
      {asked.screen === 'workload' && (
        <WecsTab asked={asked} explanation={explanation} follower={follower} tables={tables} />
      )}
    </>
  );
}
