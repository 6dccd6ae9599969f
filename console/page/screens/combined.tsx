import { useRef } from 'preact/hooks';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import {
  type CombinedBar,
  type CombinedCell,
  type CombinedStatusObject,
  type CombinedTable,
  inOrder,
} from '#console/model/combined.ts';
import { routeText, type WorkloadPlace } from '#console/model/routes.ts';
import { plainShown } from '#console/model/shown-text.ts';
import { useKeysOf } from '#console/page/parts/keys.ts';
import { wecs } from '#console/page/state/state.ts';
import { REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { Blank, Refusal } from '../parts/blank.tsx';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { Cell, Column, Row } from '../parts/row.tsx';
import { ChangeMark, Head, NOTHING } from '../parts/small.tsx';
import { Shape } from '../parts/verdict-mark.tsx';
import { type DrawnAt, VirtualRows } from '../parts/virtual-rows.tsx';

/** Follows the CombinedStatuses of one object. */
export type CombinedFollower = Follower<CombinedStatusObject, readonly CombinedTable[]>;

/** Of a longer table, only what can be seen is drawn. */
const MAX_DRAWN = 40;
const MAX_ERRORS = 5;
const MAX_CELL = 200;

/** The tables that a follower has found, in the order in which they are shown. */
function tablesIn(follower: CombinedFollower | undefined): readonly CombinedTable[] {
  return inOrder([...(follower?.shown.value.values() ?? [])].flat());
}

/** The tables to show. Those of the follower before stay until another one has read them. */
export function useTables(follower: CombinedFollower | undefined): readonly CombinedTable[] {
  const before = useRef<readonly CombinedTable[]>([]);
  const isReading = follower === undefined || follower.phase.value.type === 'loading';
  const found = tablesIn(follower);
  if (!isReading || found.length > 0) before.current = found;
  return before.current;
}

function Value({ cell: { text, number, isNull } }: { readonly cell: CombinedCell }) {
  if (isNull) return NOTHING;
  if (number !== undefined && Number.isSafeInteger(number) && number >= 0)
    return <>{countText(number)}</>;
  return <OutsideText text={text} max={MAX_CELL} />;
}

/** The WEC that a row is about, if one of its texts names one. */
function wecIn(row: readonly CombinedCell[]): string | undefined {
  return row.find(({ text, number }) => number === undefined && wecs.shown.value.has(`/${text}`))
    ?.text;
}

/** Names each row by its WEC, so that a row keeps the focus when others come before it. */
function keysOf(rows: CombinedTable['rows']): readonly string[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const wec = wecIn(row) ?? '';
    const nth = (seen.get(wec) ?? 0) + 1;
    seen.set(wec, nth);
    return `${wec}/${nth}`;
  });
}

function OneRow({
  table: { columns },
  row,
  at,
}: {
  readonly table: CombinedTable;
  readonly row: readonly CombinedCell[];
  readonly at: Omit<DrawnAt, 'style'> & Partial<DrawnAt>;
}) {
  const wec = wecIn(row);
  const href = wec === undefined ? undefined : routeText({ screen: 'wec', wec });
  const cells = columns.map(({ name, isNumber }, column) => {
    const cell = row[column] ?? { text: '', isNull: true };
    return (
      <Cell key={name} of={isNumber ? 'num' : 'clip'} title={cell.text}>
        {href !== undefined && cell.text === wec ? (
          <a href={href} tabIndex={-1} class="name">
            <Name text={wec} />
          </a>
        ) : (
          <Value cell={cell} />
        )}
      </Cell>
    );
  });
  if (href !== undefined)
    return (
      <Row href={href} {...at}>
        {cells}
      </Row>
    );
  return (
    <div
      class="tr"
      role="row"
      aria-rowindex={at.index + 2}
      {...(at.style === undefined ? {} : { style: { ...at.style } })}
    >
      {cells}
    </div>
  );
}

/** The widths of columns: what is a number takes little, everything else shares the rest. */
function widths({ columns }: CombinedTable): string {
  return columns
    .map(({ isNumber }) => (isNumber ? 'minmax(64px, 96px)' : 'minmax(96px, 1fr)'))
    .join(' ');
}

function Rows({ table }: { readonly table: CombinedTable }) {
  const { collector, columns, rows } = table;
  const keys = keysOf(rows);
  return (
    // What is wider than the section is scrolled in it, also with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: axe demands it of what scrolls.
    <section class="ctw" aria-label={`Table of ${plainShown(collector)}`} tabIndex={0}>
      <div
        class="tb ct"
        role="table"
        aria-label={plainShown(collector)}
        aria-rowcount={rows.length + 1}
        style={{ '--cols': widths(table) }}
      >
        <div class="tr th" role="row" aria-rowindex={1}>
          {columns.map(({ name, isNumber }) => (
            <Column key={name} of={isNumber ? 'num' : ''} title={name}>
              <OutsideText text={name} max={80} />
            </Column>
          ))}
        </div>
        {rows.length > MAX_DRAWN ? (
          <VirtualRows
            rows={rows}
            isStop={rows.every((row) => wecIn(row) === undefined)}
            draw={(row, at) => <OneRow key={keys[at.index]} table={table} row={row} at={at} />}
          />
        ) : (
          rows.map((row, index) => (
            <OneRow key={keys[index]} table={table} row={row} at={{ index, isStop: index === 0 }} />
          ))
        )}
      </div>
    </section>
  );
}

/** A histogram is a table as well, in which each number has a bar. */
export function Histogram({
  table: { collector, columns },
  bars,
}: {
  readonly table: CombinedTable;
  readonly bars: readonly CombinedBar[];
}) {
  const longest = Math.max(...bars.map(({ label }) => label.text.length));
  return (
    <div
      class="tb hg"
      role="table"
      aria-label={plainShown(collector)}
      style={{ '--lab': `min(40%, ${Math.max(longest, 3)}ch)` }}
    >
      <div class="sr" role="row">
        {columns.map(({ name }) => (
          <Column key={name}>
            <OutsideText text={name} max={80} />
          </Column>
        ))}
      </div>
      {bars.map(({ label, value, share, isExtreme }) => (
        <div class={`tr${isExtreme ? ' hi' : ''}`} role="row" key={label.text}>
          <Cell of="lab clip" title={label.text}>
            <Value cell={label} />
          </Cell>
          <Cell of="val">
            <i aria-hidden="true" style={{ width: `${share * 80}%` }} />
            <b>
              <Value cell={value} />
            </b>
          </Cell>
        </div>
      ))}
    </div>
  );
}

function Errors({ table: { errors } }: { readonly table: CombinedTable }) {
  if (errors.length === 0) return null;
  return (
    <ul class="errs" aria-label="Errors">
      {errors.slice(0, MAX_ERRORS).map(({ wec, column, error }) => (
        <li key={`${wec}/${column}/${error}`}>
          <Shape verdict="Refused" />
          <span>
            {wec !== undefined && (
              <>
                <a class="ul" href={routeText({ screen: 'wec', wec })}>
                  <OutsideText text={wec} max={300} />
                </a>
                {', '}
              </>
            )}
            {column !== '' && (
              <>
                <code>
                  <OutsideText text={column} max={80} />
                </code>
                {': '}
              </>
            )}
            <OutsideText text={error} max={500} />
          </span>
        </li>
      ))}
      {errors.length > MAX_ERRORS && (
        <li class="dim">and {countText(errors.length - MAX_ERRORS)} more errors</li>
      )}
    </ul>
  );
}

function rowsText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'row' : 'rows'}`;
}

/** A column in the head of a section. */
export function columnNote(table: CombinedTable, index: number) {
  return <OutsideText text={table.columns[index]?.name ?? ''} max={60} />;
}

function OneTable({
  table,
  change,
}: {
  readonly table: CombinedTable;
  readonly change: number | undefined;
}) {
  const { collector, binding, rows, bars } = table;
  return (
    <section class="cs" aria-label={plainShown(collector)}>
      <ChangeMark change={change} />
      <Head
        title={<OutsideText text={collector} max={100} />}
        note={bars === undefined ? rowsText(rows.length) : <>by {columnNote(table, 0)}</>}
        right={bars === undefined ? undefined : columnNote(table, 1)}
      />
      {bars !== undefined && <Histogram table={table} bars={bars} />}
      {bars === undefined && table.columns.length > 0 && <Rows table={table} />}
      <Errors table={table} />
      <p class="note">
        StatusCollector{' '}
        <code>
          <OutsideText text={collector} max={100} />
        </code>
        , Binding <OutsideText text={binding} max={100} />.
      </p>
    </section>
  );
}

const NOT_FOUND = 404;

function isAbsent(error: Error): boolean {
  return 'code' in error && error.code === NOT_FOUND;
}

/** Why there are no tables. */
function Nothing({
  workload,
  follower,
}: {
  readonly workload: WorkloadPlace;
  readonly follower: CombinedFollower | undefined;
}) {
  const phase = follower?.phase.value;
  if (phase?.type === 'refused') {
    if (isAbsent(phase.error))
      return (
        <Blank
          kind="empty"
          title="CombinedStatuses cannot be read here"
          text={<OutsideText text={phase.error.message} max={500} />}
        />
      );
    const namespace = workload.namespace === '' ? REPORT_NAMESPACE : workload.namespace;
    const rights = ['list combinedstatuses.control.kubestellar.io'];
    return <Refusal phase={phase} needed={{ what: 'CombinedStatuses', rights, namespace }} />;
  }
  if (phase?.type !== 'live') return <p class="dim late">Reading the CombinedStatuses…</p>;
  return (
    <Blank
      kind="empty"
      title="No StatusCollector reads this object"
      text="A BindingPolicy names StatusCollectors beside the objects that it sends. Their results are shown here."
    >
      <code>kubectl get statuscollectors.control.kubestellar.io</code>
    </Blank>
  );
}

/** What StatusCollectors have computed for an object: a table or a histogram for each. */
export function CombinedTab({
  workload,
  follower,
  tables,
}: {
  readonly workload: WorkloadPlace;
  readonly follower: CombinedFollower | undefined;
  readonly tables: readonly CombinedTable[];
}) {
  useKeysOf({});
  if (tables.length === 0) return <Nothing workload={workload} follower={follower} />;
  return (
    <div class="three">
      {tables.map((table) => (
        <OneTable
          key={table.key}
          table={table}
          change={follower?.changes.value.get(table.object)}
        />
      ))}
    </div>
  );
}
