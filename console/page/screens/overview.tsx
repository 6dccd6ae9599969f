import { useEffect } from 'preact/hooks';
import { countText } from '#console/model/age.ts';
import {
  filterWorkloads,
  sentence,
  type WorkloadRow,
  worstWorkloadFirst,
} from '#console/model/overview.ts';
import { placeKey, placeOf, type Route, routeText } from '#console/model/routes.ts';
import type { WecRow } from '#console/model/wec-row.ts';
import { useKeysOf } from '#console/page/parts/keys.ts';
import {
  allExplanations,
  clusterExplanations,
  explanations,
  onlyNamespace,
  readExplanations,
  titled,
  wecOrder,
  wecs,
  workloads,
} from '#console/page/state/state.ts';
import { FAMILY_WORDS, VERDICTS, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { Blank, type Needed, Refusal } from '../parts/blank.tsx';
import { usePlaces } from '../parts/kept-order.ts';
import { isDone, LeftOut } from '../parts/left-out.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { Head } from '../parts/small.tsx';
import { Changes } from './changes.tsx';
import { OverviewAside } from './overview-aside.tsx';
import { useWecRows } from './wec-rows.ts';
import { type Spectra, WorkloadTable } from './workload-table.tsx';

/** What is needed to read the explanations. */
const NEEDED: Needed = {
  what: 'why statuses are what they are',
  rights: ['list explanations.status.starfold.dev', 'get deployments.apps'],
  ...(onlyNamespace === undefined ? {} : { namespace: onlyNamespace }),
};

function spectraOf(rows: readonly WecRow[] | undefined): Spectra {
  const verdicts = new Map<string, Map<string, Verdict>>();
  for (const { place, wec, verdict } of rows ?? []) {
    const key = placeKey(place);
    const of = verdicts.get(key) ?? new Map<string, Verdict>();
    of.set(wec, verdict);
    verdicts.set(key, of);
  }
  const explained = new Map(
    allExplanations.value.map((one) => [placeKey(placeOf(one.workload)), one]),
  );
  return { isPlaced: rows !== undefined, verdicts, explained };
}

interface Shown {
  readonly rows: readonly WorkloadRow[];
  /** Whether these are all rows. */
  readonly isRead: boolean;
}

function Sentence({ rows, isRead }: Shown) {
  const phrases = sentence(rows, isRead);
  return (
    <h1 class="say">
      {phrases.map(({ text, family, verdict }, index) => (
        <>
          {index > 0 && (family === undefined ? '. ' : ', ')}
          {family === undefined || verdict === undefined ? (
            text
          ) : (
            <a class={family.slice(0, 1)} href={routeText({ screen: 'overview', verdict })}>
              {text}
            </a>
          )}
        </>
      ))}
      {phrases.at(-1)?.family !== undefined && '.'}
    </h1>
  );
}

function many(count: number, one: string): string {
  return `${countText(count)} ${one}${count === 1 ? '' : 's'}`;
}

function Under({ rows, isRead }: Shown) {
  const all = [...wecs.shown.value.values()];
  const silent = all.filter(({ silentSince }) => silentSince !== undefined).length;
  const refused = rows.reduce((sum, row) => sum + row.refused.length, 0);
  const { groups } = wecOrder.value;
  return (
    <p class="under">
      {wecs.isRead.value && (
        <>
          <span>
            {many(all.length, 'WEC')}
            {groups.length > 0 && ` in ${many(groups.length, 'region')}`}
          </span>
          <span>{countText(all.length - silent)} in contact</span>
        </>
      )}
      <span>
        {many(rows.length, 'workload')}
        {!isRead && ' so far'}
      </span>
      {onlyNamespace !== undefined && (
        <span>
          only namespace <OutsideText text={onlyNamespace} max={80} />
        </span>
      )}
      {refused > 0 && (
        <span>{refused === 1 ? '1 status refused' : `${refused} statuses refused`}</span>
      )}
    </p>
  );
}

function Loading() {
  return (
    <section aria-busy="true" class="late">
      <h1 class="say dim">Reading the workloads…</h1>
    </section>
  );
}

function EmptyFleet() {
  return (
    <Blank
      kind="empty"
      title="Nothing to fold"
      text="Starfold shows the objects that Bindings in the WDS send to WECs. There is no Binding, or none has a destination."
    >
      <code>kubectl get bindings.control.kubestellar.io</code>
    </Blank>
  );
}

function Filter({ only }: { readonly only: string }) {
  return (
    <p class="filters">
      <span class="mid">
        Only <OutsideText text={only} />
      </span>
      <a class="btn" href={routeText({ screen: 'overview' })}>
        Show all
      </a>
    </p>
  );
}

function filterName({ verdict, label }: Route & { screen: 'overview' }): string | undefined {
  if (label !== undefined) return label;
  return verdict === undefined ? undefined : FAMILY_WORDS[VERDICTS[verdict].family];
}

/** What is wrong, worst first. */
export function OverviewScreen(asked: Route & { screen: 'overview' }) {
  useEffect(() => titled(() => 'Overview'), []);
  useEffect(readExplanations, []);
  useKeysOf({});
  const wecRows = useWecRows();
  const rows = workloads.value;
  const shown = filterWorkloads(rows, asked).toSorted(worstWorkloadFirst);
  const kept = usePlaces(shown, ({ key }) => key);
  const spectra = spectraOf(wecRows.rows);
  const only = filterName(asked);
  const [phase, other] = [explanations.phase.value, clusterExplanations.phase.value];
  const isRead = isDone(explanations) && isDone(clusterExplanations);
  if (phase.type === 'refused' && rows.length === 0)
    return <Refusal phase={phase} needed={NEEDED} isPage />;
  if (rows.length === 0 && (phase.type !== 'live' || other.type === 'loading')) return <Loading />;
  return (
    <>
      <section aria-busy={!isRead}>
        <Sentence rows={rows} isRead={isRead} />
        <Under rows={rows} isRead={isRead} />
      </section>
      <div class="split ovs">
        <div class="col">
          <section aria-label="Workloads">
            <Head
              title="Workloads"
              note={`${countText(shown.length)}${isRead ? '' : ' so far'}, worst first`}
              right={
                <span class="hint">
                  {spectra.isPlaced
                    ? 'one tick is one WEC, in the same place in every row'
                    : 'WECs sorted by verdict'}
                </span>
              }
            />
            {only !== undefined && <Filter only={only} />}
            <LeftOut follower={explanations} cluster={clusterExplanations} />
            {rows.length === 0 ? (
              <EmptyFleet />
            ) : (
              <div {...kept.handlers}>
                <WorkloadTable rows={kept.rows} spectra={spectra} />
              </div>
            )}
          </section>
          <Changes isFollowed={wecRows.isFollowed} />
        </div>
        <OverviewAside rows={rows} wecRows={wecRows} />
      </div>
    </>
  );
}
