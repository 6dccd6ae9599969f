import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { API } from '#console/live/client.ts';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { WecObject, WecStatusObject } from '#console/model/api-objects.ts';
import { type Route, routeText } from '#console/model/routes.ts';
import { plainShown } from '#console/model/shown-text.ts';
import { isAmiss, type Verdict } from '#console/model/verdicts.ts';
import { byName, isRowChanged, type WecRow, wecRow, worstFirst } from '#console/model/wec-row.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { useKeysOf } from '../keys.ts';
import { Blank, type Needed, Refusal } from '../parts/blank.tsx';
import { usePlaces } from '../parts/kept-order.ts';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { RawStatus } from '../parts/raw-status.tsx';
import { Cell, Column, Row, type RowStyle } from '../parts/row.tsx';
import { Age, ChangeMark, Head, NOTHING, Of } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import {
  follow,
  LISTS,
  noteChange,
  onlyNamespace,
  open,
  titled,
  wecOrder,
  wecs,
} from '../state.ts';
import { useRaw } from './use-raw.ts';
import { kindText } from './workload-table.tsx';

/** What is needed to read what a WEC says. */
const NEEDED: Needed = {
  what: 'what this WEC says',
  rights: ['list wecstatuses.status.starfold.dev', 'get deployments.apps'],
  ...(onlyNamespace === undefined ? {} : { namespace: onlyNamespace }),
};

type RowFollower = Follower<WecStatusObject, WecRow>;

/** Follows what one WEC says about all objects with a namespace. */
function useRows(wec: string): RowFollower | undefined {
  const found = useSignal<RowFollower | undefined>(undefined);
  useEffect(() => {
    const { follower, stop } = follow<WecStatusObject, WecRow>({
      path: `${LISTS}/wecstatuses`,
      query: { fieldSelector: fieldSelectorText({ wec }) },
      rowOf: wecRow,
      isChanged: isRowChanged,
      onChange: noteChange,
    });
    found.value = follower;
    return stop;
  }, []);
  return found.value;
}

/** Follows what it says about objects without a namespace, which seldom changes. */
function useClusterRows(wec: string): RowFollower | undefined {
  const found = useSignal<RowFollower | undefined>(undefined);
  useEffect(() => {
    const { follower, stop } = follow<WecStatusObject, WecRow>({
      path: `${API}/clusterwecstatuses`,
      query: { fieldSelector: fieldSelectorText({ wec }) },
      rowOf: wecRow,
      isChanged: isRowChanged,
      onChange: noteChange,
      everyMs: 5_000,
    });
    found.value = follower;
    return stop;
  }, []);
  return found.value;
}

/** Whether a follower has read all that it may. */
function isDone(follower: RowFollower | undefined): boolean {
  return follower?.isRead.value === true || follower?.phase.value.type === 'refused';
}

/** Whether a WEC is heard of, and the word for it. Undefined until that is read. */
function contactOf(
  wec: WecObject | undefined,
): { readonly verdict: Verdict; readonly word?: string } | undefined {
  if (wec?.silentSince !== undefined) return { verdict: 'Silent' };
  if (wec !== undefined) return { verdict: 'Healthy', word: 'In contact' };
  if (wecs.isRead.value) return { verdict: 'NotReported', word: 'Never heard of' };
  if (wecs.phase.value.type === 'refused') return { verdict: 'Unknown', word: 'Contact not known' };
  return undefined;
}

/** How many objects are not as asked. */
function askedText(rows: readonly WecRow[], isRead: boolean): string {
  if (!isRead) return 'Reading what it says…';
  const amiss = rows.filter(({ verdict }) => isAmiss(verdict) && verdict !== 'Silent').length;
  return amiss === 0
    ? `All ${countText(rows.length)} objects are as asked.`
    : `${countText(amiss)} of ${countText(rows.length)} objects ${amiss === 1 ? 'is' : 'are'} not as asked.`;
}

function Message({
  wec,
  verdict,
  asked,
}: {
  readonly wec: WecObject | undefined;
  readonly verdict: Verdict | undefined;
  readonly asked: string;
}) {
  switch (verdict) {
    case 'Silent':
      return (
        <>
          No heartbeat for <Age time={wec?.lastContact} />. All that stands here is what it last
          said; it still counts.
        </>
      );
    case 'NotReported':
      return <>No heartbeat has come from it. {asked}</>;
    case 'Unknown':
      return <>You may not read the WECs themselves. {asked}</>;
    case 'Healthy':
      return (
        <>
          Last contact <Age time={wec?.lastContact} /> ago. {asked}
        </>
      );
    default:
      return <>{asked}</>;
  }
}

function Title({
  name,
  wec,
  rows,
  isRead,
}: {
  readonly name: string;
  readonly wec: WecObject | undefined;
  readonly rows: readonly WecRow[];
  /** Whether these are all rows. */
  readonly isRead: boolean;
}) {
  const contact = contactOf(wec);
  return (
    <div class="title">
      <div class="obj">
        <span class="kind">WEC</span>
        <h1 class="clip" title={plainShown(name)}>
          <OutsideText text={name} />
        </h1>
        {contact !== undefined && <VerdictMark {...contact} />}
        <a class="btn" href={routeText({ screen: 'query', only: name })}>
          Ask about this
        </a>
        <p class="msg">
          <Message wec={wec} verdict={contact?.verdict} asked={askedText(rows, isRead)} />
        </p>
      </div>
    </div>
  );
}

function Facts({ wec }: { readonly wec: WecObject | undefined }) {
  const labels = Object.entries(wec?.metadata.labels ?? {});
  return (
    <aside class="col">
      <section>
        <Head title="Contact" />
        <div class="tb small">
          <div class="tr">
            <span class="mid">Last contact</span>
            <Age time={wec?.lastContact} />
          </div>
          <div class="tr">
            <span class="mid">Silent since</span>
            <Age time={wec?.silentSince} />
          </div>
          <div class="tr">
            <span class="mid">Objects</span>
            <span>{wec?.objects ?? NOTHING}</span>
          </div>
          <div class="tr">
            <span class="mid">Unhealthy objects</span>
            <span>{wec?.unhealthyObjects ?? NOTHING}</span>
          </div>
        </div>
      </section>
      <section>
        <Head title="Forwarder" />
        <div class="tb small">
          <div class="tr">
            <span class="mid">Version</span>
            <span>
              {wec?.forwarderVersion === undefined ? (
                NOTHING
              ) : (
                <OutsideText text={wec.forwarderVersion} max={60} />
              )}
            </span>
          </div>
        </div>
      </section>
      {labels.length > 0 && (
        <section>
          <Head title="Labels" />
          <p class="lbls">
            {labels.map(([key, value]) => (
              <span class="tag mono" key={key}>
                <OutsideText text={`${key}=${value}`} max={140} />
              </span>
            ))}
          </p>
        </section>
      )}
    </aside>
  );
}

function OneObject({
  row,
  index,
  style,
  isOn,
  change,
}: {
  readonly row: WecRow;
  readonly index: number;
  readonly style: RowStyle;
  readonly isOn: boolean;
  readonly change: number | undefined;
}) {
  const { place, kind, wec, name } = row;
  const href = routeText({ screen: 'wec', wec, object: keyOfRow(row) });
  return (
    <Row
      href={href}
      why={routeText({ screen: 'why', workload: place })}
      index={index}
      isStop={index === 0}
      isOn={isOn}
      style={style}
    >
      <Cell>
        <VerdictMark verdict={row.verdict} />
      </Cell>
      <Cell of="who">
        <a href={href} tabIndex={-1} class="name" aria-label={`${plainShown(name)}, raw status`}>
          <Name text={place.name} tail={6} />
        </a>
        <span class="dim clip">
          <OutsideText text={kindText(kind, place.namespace)} />
        </span>
      </Cell>
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
        draw={(row, index, style) => (
          <OneObject
            key={keyOfRow(row)}
            row={row}
            index={index}
            style={style}
            isOn={row === chosen}
            change={changes.get(`${row.place.namespace}/${row.name}`)}
          />
        )}
      />
    </div>
  );
}

const NO_PLACE = { resource: '', namespace: '', name: '' };

/** One WEC: when it was last heard of, and everything that it says, worst first. */
export function WecScreen({ wec: name, object }: Route & { screen: 'wec' }) {
  useEffect(() => titled(() => name), []);
  const [follower, cluster] = [useRows(name), useClusterRows(name)];
  useKeysOf({ '[': () => openNeighbour(name, -1), ']': () => openNeighbour(name, 1) });
  const all = [...(follower?.shown.value.values() ?? []), ...(cluster?.shown.value.values() ?? [])];
  const rows = all.toSorted((a, b) => worstFirst(a, b) || byName(keyOfRow(a), keyOfRow(b)));
  const kept = usePlaces(rows, keyOfRow);
  const chosen = chosenRow(kept.rows, object);
  const raw = useRaw(chosen?.place ?? NO_PLACE, chosen?.wec);
  const changes = new Map([follower, cluster].flatMap((one) => [...(one?.changes.value ?? [])]));
  const phase = follower?.phase.value;
  const isRead = isDone(follower) && isDone(cluster);
  const wec = wecs.shown.value.get(`/${name}`);
  if (phase?.type === 'refused' && rows.length === 0)
    return <Refusal phase={phase} needed={NEEDED} isPage />;
  if (isRead && wecs.isRead.value && rows.length === 0 && wec === undefined)
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
  return (
    <>
      <Title name={name} wec={wec} rows={rows} isRead={isRead} />
      <div class="split">
        <div class="col">
          <section aria-busy={!isRead}>
            <Head
              title="What it says"
              note={isRead ? `${countText(rows.length)} objects, worst first` : 'reading…'}
            />
            <div {...kept.handlers}>
              <Objects rows={kept.rows} chosen={chosen} changes={changes} />
            </div>
          </section>
          {chosen !== undefined && (
            <section>
              <Head
                title="Raw status"
                note={
                  <OutsideText
                    text={`${chosen.kind} ${chosen.place.namespace}/${chosen.place.name}`}
                    max={120}
                  />
                }
                right={
                  <a class="ul" href={routeText({ screen: 'why', workload: chosen.place })}>
                    what it decides
                  </a>
                }
              />
              <RawStatus raw={raw} />
            </section>
          )}
        </div>
        <Facts wec={wec} />
      </div>
    </>
  );
}
