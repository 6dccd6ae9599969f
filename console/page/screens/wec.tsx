import { useEffect } from 'preact/hooks';
import { API } from '#console/live/client.ts';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { type Route, routeText } from '#console/model/routes.ts';
import { byName, isRowChanged, type WecRow, wecRow, worstFirst } from '#console/model/wec-row.ts';
import { useKeysOf } from '#console/page/parts/keys.ts';
import {
  LISTS,
  noteChange,
  onlyNamespace,
  open,
  titled,
  wecOrder,
  wecs,
} from '#console/page/state/state.ts';
import { useFollower } from '#console/page/state/use-follower.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { Blank, type Needed, Refusal } from '../parts/blank.tsx';
import { usePlaces } from '../parts/kept-order.ts';
import { isDone, LeftOut } from '../parts/left-out.tsx';
import { ObjectCell } from '../parts/object-cell.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { RawStatus } from '../parts/raw-status.tsx';
import { Cell, Column, Row } from '../parts/row.tsx';
import { Age, ChangeMark, Head, Of } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import { type DrawnAt, VirtualRows } from '../parts/virtual-rows.tsx';
import { useRaw, versionOf } from './use-raw.ts';
import { WecFacts } from './wec-facts.tsx';
import { WecTitle } from './wec-title.tsx';
import { kindText } from './workload-table.tsx';

/** What is needed to read what a WEC says. */
const NEEDED: Needed = {
  what: 'what this WEC says',
  rights: ['list wecstatuses.status.starfold.dev', 'get deployments.apps'],
  ...(onlyNamespace === undefined ? {} : { namespace: onlyNamespace }),
};

type RowFollower = Follower<WecStatusObject, WecRow>;

const CLUSTER_MS = 5_000;

/** Follows what a WEC says about all objects with a namespace, and about those without one, which seldom changes. */
function useRows(wec: string): readonly [RowFollower | undefined, RowFollower | undefined] {
  const both = {
    query: { fieldSelector: fieldSelectorText({ wec }) },
    rowOf: wecRow,
    isChanged: isRowChanged,
    onChange: noteChange,
  };
  const follower = useFollower<WecStatusObject, WecRow>(
    { path: `${LISTS}/wecstatuses`, ...both },
    [],
  );
  const cluster = useFollower<WecStatusObject, WecRow>(
    { path: `${API}/clusterwecstatuses`, ...both, everyMs: CLUSTER_MS },
    [],
  );
  return [follower, cluster];
}

function OneObject({
  row,
  at,
  isOn,
  change,
}: {
  readonly row: WecRow;
  readonly at: DrawnAt;
  readonly isOn: boolean;
  readonly change: number | undefined;
}) {
  const { place, kind, wec, name } = row;
  const href = routeText({ screen: 'wec', wec, object: keyOfRow(row) });
  return (
    <Row href={href} why={routeText({ screen: 'why', workload: place })} isOn={isOn} {...at}>
      <Cell>
        <VerdictMark verdict={row.verdict} />
      </Cell>
      <ObjectCell
        href={href}
        label={`${name}, raw status`}
        name={place.name}
        note={kindText(kind, place.namespace)}
      />
      <Cell of="num opt">
        <Of fraction={row.ready} />
      </Cell>
      <Cell of="num opt">
        <Of fraction={row.observed} />
      </Cell>
      <Cell of="msg clip mid" title={row.message}>
        <OutsideText text={row.message} max={300} />
      </Cell>
      <Cell of="num age mid opt">
        <Age time={row.changed} />
        <ChangeMark change={change} />
      </Cell>
    </Row>
  );
}

/** Names a row of a WEC in URLs: the name of its WECStatus is not unique among namespaces. */
function keyOfRow({ place: { namespace }, name }: WecRow): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Goes to a neighbour of a WEC, in the order of the spectra. */
function openNeighbour(wec: string, step: number): void {
  const { wecs: names } = wecOrder.value;
  const next = names[names.indexOf(wec) + step];
  if (next !== undefined) open({ screen: 'wec', wec: next });
}

function chosenRow(rows: readonly WecRow[], object: string | undefined): WecRow | undefined {
  return rows.find((row) => keyOfRow(row) === object || row.name === object) ?? rows[0];
}

function Objects({
  rows,
  chosen,
  changes,
}: {
  readonly rows: readonly WecRow[];
  readonly chosen: WecRow | undefined;
  readonly changes: ReadonlyMap<string, number>;
}) {
  return (
    <div class="tb wc" role="table" aria-label="What it says" aria-rowcount={rows.length + 1}>
      <div class="tr th" role="row" aria-rowindex={1}>
        <Column>Verdict</Column>
        <Column>Object</Column>
        <Column of="num">Ready</Column>
        <Column of="num">Gen.</Column>
        <Column>Message</Column>
        <Column of="num">Changed</Column>
      </div>
      <VirtualRows
        rows={rows}
        draw={(row, at) => (
          <OneObject
            key={keyOfRow(row)}
            row={row}
            at={at}
            isOn={row === chosen}
            change={changes.get(`${row.place.namespace}/${row.name}`)}
          />
        )}
      />
    </div>
  );
}

/** The raw status behind the chosen row. */
function Raw({
  chosen,
  follower,
}: {
  readonly chosen: WecRow;
  readonly follower: RowFollower | undefined;
}) {
  const { place, wec, kind } = chosen;
  const raw = useRaw({ workload: place, wec, version: versionOf(chosen, follower) });
  return (
    <section>
      <Head
        title="Raw status"
        note={<OutsideText text={`${kind} ${place.namespace}/${place.name}`} max={120} />}
        right={
          <a class="ul" href={routeText({ screen: 'why', workload: place })}>
            what it decides
          </a>
        }
      />
      <RawStatus raw={raw} />
    </section>
  );
}

function NoSuchWec({ name }: { readonly name: string }) {
  return (
    <Blank
      kind="empty"
      isPage
      title="No such WEC"
      text={
        <>
          No Binding sends anything to a WEC <OutsideText text={name} />.
        </>
      }
    >
      <a class="btn" href="#/">
        Overview
      </a>
    </Blank>
  );
}

/** One WEC: when it was last heard of, and everything that it says, worst first. */
export function WecScreen({ wec: name, object }: Route & { screen: 'wec' }) {
  useEffect(() => titled(() => name), []);
  const [follower, cluster] = useRows(name);
  useKeysOf({ '[': () => openNeighbour(name, -1), ']': () => openNeighbour(name, 1) });
  const all = [...(follower?.shown.value.values() ?? []), ...(cluster?.shown.value.values() ?? [])];
  const rows = all.toSorted((a, b) => worstFirst(a, b) || byName(keyOfRow(a), keyOfRow(b)));
  const kept = usePlaces(rows, keyOfRow);
  const chosen = chosenRow(kept.rows, object);
  const changes = new Map([follower, cluster].flatMap((one) => [...(one?.changes.value ?? [])]));
  const phase = follower?.phase.value;
  const isRead = isDone(follower) && isDone(cluster);
  const wec = wecs.shown.value.get(`/${name}`);
  if (phase?.type === 'refused' && rows.length === 0)
    return <Refusal phase={phase} needed={NEEDED} isPage />;
  if (isRead && wecs.isRead.value && rows.length === 0 && wec === undefined)
    return <NoSuchWec name={name} />;
  return (
    <>
      <WecTitle name={name} wec={wec} rows={rows} isRead={isRead} />
      <div class="split">
        <div class="col">
          <section aria-busy={!isRead}>
            <Head
              title="What it says"
              note={isRead ? `${countText(rows.length)} objects, worst first` : 'reading…'}
            />
            <LeftOut follower={follower} cluster={cluster} />
            <div {...kept.handlers}>
              <Objects rows={kept.rows} chosen={chosen} changes={changes} />
            </div>
          </section>
          {chosen !== undefined && (
            <Raw chosen={chosen} follower={chosen.place.namespace === '' ? cluster : follower} />
          )}
        </div>
        <WecFacts name={name} wec={wec} ownRows={rows.length} />
      </div>
    </>
  );
}
