import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { placedVerdicts } from '#console/model/overview.ts';
import { type Route, routeText } from '#console/model/routes.ts';
import { orderWecs } from '#console/model/spectrum.ts';
import { NO_HEARTBEAT, type WecRow } from '#console/model/wec-row.ts';
import { filterRows, nextSort, parseSort, type Sort, sortRows } from '#console/model/workload.ts';
import { useKeysOf } from '#console/page/parts/keys.ts';
import { held, replace, toggleHold, wecOrder, wecs } from '#console/page/state/state.ts';
import { countVerdicts, VERDICTS, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { Blank } from '../parts/blank.tsx';
import { usePlaces } from '../parts/kept-order.ts';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { Cell, Row } from '../parts/row.tsx';
import { Age, ChangeMark, Of } from '../parts/small.tsx';
import { Groups, Spectrum } from '../parts/spectrum-view.tsx';
import { Shape, VerdictMark } from '../parts/verdict-mark.tsx';
import { type DrawnAt, VirtualRows } from '../parts/virtual-rows.tsx';

type Asked = Route & { screen: 'workload' };

const NONE: Readonly<Record<string, string>> = {};

function labelsOf(wec: string): Readonly<Record<string, string>> {
  return wecs.shown.value.get(`/${wec}`)?.metadata.labels ?? NONE;
}

/** The same screen with another filter or order. What is `undefined` is left out. */
function shownAs(
  asked: Asked,
  changed: { readonly [name in 'verdict' | 'text' | 'sort']?: string | undefined },
): void {
  const { workload, verdict, text, sort } = asked;
  const all = { verdict, text, sort, ...changed };
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== '');
  replace({ screen: 'workload', workload, ...Object.fromEntries(given) } as Route);
}

function Chip({
  asked,
  verdict,
  count,
}: {
  readonly asked: Asked;
  readonly verdict: Verdict | undefined;
  readonly count: number;
}) {
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={asked.verdict === verdict}
      onClick={() => shownAs(asked, { verdict })}
    >
      {verdict !== undefined && <Shape verdict={verdict} />}
      {verdict === undefined ? 'All' : VERDICTS[verdict].word} <b>{countText(count)}</b>
    </button>
  );
}

function Filters({ asked, rows }: { readonly asked: Asked; readonly rows: readonly WecRow[] }) {
  const counts = new Map(countVerdicts(rows.map(({ verdict }) => verdict)));
  // A filter that finds nothing any more can still be taken back.
  if (asked.verdict !== undefined && !counts.has(asked.verdict)) counts.set(asked.verdict, 0);
  return (
    <div class="filters" role="group" aria-label="Filters">
      <Chip asked={asked} verdict={undefined} count={rows.length} />
      {[...counts].map(([verdict, count]) => (
        <Chip key={verdict} asked={asked} verdict={verdict} count={count} />
      ))}
      <input
        class="fin"
        aria-label="Filter by name or label of the WEC"
        placeholder="name or region=eu-west"
        spellcheck={false}
        value={asked.text ?? ''}
        onInput={(event) => shownAs(asked, { text: event.currentTarget.value })}
      />
      <span class="r">
        <button type="button" class="btn" aria-pressed={held.value} onClick={toggleHold}>
          Hold <kbd aria-hidden="true">l</kbd>
        </button>
      </span>
    </div>
  );
}

const COLUMNS: readonly {
  readonly by: Sort;
  readonly text: string;
  readonly of: string;
  readonly title?: string;
}[] = [
  { by: 'verdict', text: 'Verdict', of: '' },
  { by: 'wec', text: 'WEC', of: '' },
  { by: 'ready', text: 'Ready', of: 'num c-rd' },
  { by: 'updated', text: 'Updated', of: 'num c-upd' },
  { by: 'available', text: 'Avail.', of: 'num c-av' },
  {
    by: 'generation',
    text: 'Gen.',
    of: 'num c-gen',
    title: 'The generation that the WEC’s controller has seen, of that in the WEC',
  },
  { by: 'changed', text: 'Changed', of: 'num' },
];

function Heads({ asked }: { readonly asked: Asked }) {
  const { by: sorted, isReverse } = parseSort(asked.sort);
  const direction = isReverse ? 'descending' : 'ascending';
  return (
    <div class="tr th" role="row" aria-rowindex={1}>
      {COLUMNS.map(({ by, text, of, title }) => (
        <span
          key={by}
          class={of}
          role="columnheader"
          aria-sort={by === sorted ? direction : 'none'}
          {...(title === undefined ? {} : { title })}
        >
          <button
            type="button"
            class={by === sorted ? 'by' : ''}
            onClick={() => shownAs(asked, { sort: nextSort(asked.sort, by) })}
          >
            {text}
            {by === sorted && <span aria-hidden="true">{isReverse ? ' ↑' : ' ↓'}</span>}
          </button>
        </span>
      ))}
      <span class="msg" role="columnheader">
        Message
      </span>
    </div>
  );
}

/** What the WEC says, or since when it says nothing. */
function Message({ row: { verdict, message, lastContact } }: { readonly row: WecRow }) {
  if (verdict !== 'Silent' || lastContact === undefined)
    return <OutsideText text={message} max={300} />;
  return (
    <>
      {NO_HEARTBEAT} for <Age time={lastContact} />
      <OutsideText text={message.slice(NO_HEARTBEAT.length)} max={300} />
    </>
  );
}

function OneWec({
  row,
  at,
  change,
}: {
  readonly row: WecRow;
  readonly at: DrawnAt;
  readonly change: number | undefined;
}) {
  const href = routeText({ screen: 'wec', wec: row.wec, object: row.name });
  return (
    <Row href={href} {...at}>
      <Cell>
        <VerdictMark verdict={row.verdict} />
      </Cell>
      <Cell>
        <a href={href} tabIndex={-1} class="name">
          <Name text={row.wec} />
        </a>
      </Cell>
      <Cell of="num">
        <Of fraction={row.ready} />
      </Cell>
      <Cell of="num c-upd">
        <Of fraction={row.updated} />
      </Cell>
      <Cell of="num c-av">
        <Of fraction={row.available} />
      </Cell>
      <Cell of="num c-gen">
        <Of fraction={row.observed} />
      </Cell>
      <Cell of="num age">
        <Age time={row.changed} />
      </Cell>
      <Cell of="msg clip" title={row.message}>
        <Message row={row} />
        <ChangeMark change={change} />
      </Cell>
    </Row>
  );
}

/** What each WEC says about the object: filters, a map, and a table that draws what can be seen. */
export function WecTable({
  asked,
  rows,
  follower,
}: {
  readonly asked: Asked;
  readonly rows: readonly WecRow[];
  readonly follower: Follower<WecStatusObject, WecRow> | undefined;
}) {
  useKeysOf({});
  const known = wecOrder.value;
  // Who may not read the WECs themselves still sees those that say something.
  const order =
    known.wecs.length > 0 ? known : orderWecs(rows.map(({ wec }) => ({ name: wec, labels: NONE })));
  const verdicts = new Map(rows.map(({ wec, verdict }) => [wec, verdict]));
  const sorted = sortRows(filterRows(rows, asked, labelsOf), asked.sort);
  const kept = usePlaces(sorted, ({ wec }) => wec, asked.sort);
  const changes = follower?.changes.value;
  const isReading = follower === undefined || follower.phase.value.type === 'loading';
  return (
    <section class="col" aria-label="WECs" aria-busy={isReading}>
      <Filters asked={asked} rows={rows} />
      <div {...kept.handlers}>
        <div class="map spx">
          <Groups order={order} />
          <Spectrum placed={placedVerdicts(order, verdicts)} order={order} isMap />
        </div>
        <div class="tb wt" role="table" aria-label="WECs" aria-rowcount={sorted.length + 1}>
          <Heads asked={asked} />
          <VirtualRows
            rows={kept.rows}
            isLast
            draw={(row, at) => (
              <OneWec
                key={row.wec}
                row={row}
                at={at}
                change={changes?.get(`${row.place.namespace}/${row.name}`)}
              />
            )}
          />
        </div>
        {!isReading && sorted.length === 0 && (
          <Blank
            kind="empty"
            title="No WEC is shown"
            text={
              rows.length === 0
                ? 'No Binding sends the object to a WEC.'
                : 'None is left by these filters.'
            }
          >
            {rows.length > 0 && (
              <button
                type="button"
                class="btn"
                onClick={() => shownAs(asked, { verdict: undefined, text: undefined })}
              >
                Show all
              </button>
            )}
          </Blank>
        )}
      </div>
    </section>
  );
}
