import { numberText } from '#console/model/query/chart.ts';
import { rowsOfGroup } from '#console/model/query/drill-down.ts';
import type { Query } from '#console/model/query/query.ts';
import {
  cellNumber,
  cellText,
  isNumeric,
  OBJECT_COLUMN,
  type QueryResult,
  type ResultRow,
  sortResult,
  WEC_COLUMN,
} from '#console/model/query/result.ts';
import { placeOf, routeText } from '#console/model/routes.ts';
import type { Value } from '#shared/core/collector/value.ts';
import { wecStatusName } from '#shared/core/status-api/status-name.ts';
import { usePlaces } from '../parts/kept-order.ts';
import { ObjectCell } from '../parts/object-cell.tsx';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { Cell, isLinkOrText, Row } from '../parts/row.tsx';
import { ChangeMark, NOTHING } from '../parts/small.tsx';
import { type DrawnAt, VirtualRows } from '../parts/virtual-rows.tsx';
import { changes, follow, sort, sortBy } from './query-state.ts';

/** How the columns of a result are drawn. */
interface Shown {
  readonly result: QueryResult;
  readonly asked: Query;
  readonly isNumber: readonly boolean[];
  /** Whether the rows are about several objects. */
  readonly hasObject: boolean;
}

/** The chart that follows can be seen, too. */
const TABLE_SHARE = 0.5;
const NUMBER_PX = 90;
const TEXT_PX = 130;

function columnsOf({ result, isNumber, hasObject }: Shown) {
  const isOfRows = result.columns === undefined;
  const head = isOfRows ? [...(hasObject ? [OBJECT_COLUMN] : []), WEC_COLUMN] : [];
  const all = [...head, ...result.names.map((_name, index) => index)];
  const widths = all.map((column) => (isNumber[column] === true ? NUMBER_PX : TEXT_PX));
  return {
    all,
    template: all
      .map(
        (column, index) =>
          `minmax(${widths[index]}px, ${isNumber[column] === true ? '.6fr' : '1.4fr'})`,
      )
      .join(' '),
    // Between columns are 16 px, as of .tr.
    least: widths.reduce((sum, width) => sum + width + 16, 0),
  };
}

function nameOf(column: number, { names }: QueryResult): string {
  if (column === OBJECT_COLUMN) return 'Object';
  return column === WEC_COLUMN ? 'WEC' : (names[column] ?? '');
}

function ColumnHead({ shown, column }: { readonly shown: Shown; readonly column: number }) {
  const { result, isNumber } = shown;
  const order = sort.value?.column === column ? sort.value : undefined;
  const direction = order?.isReverse === true ? 'descending' : 'ascending';
  return (
    <span
      class={isNumber[column] === true ? 'num' : ''}
      role="columnheader"
      aria-sort={order === undefined ? 'none' : direction}
    >
      <button type="button" class={order === undefined ? '' : 'by'} onClick={() => sortBy(column)}>
        <OutsideText text={nameOf(column, result)} max={100} />
        {order !== undefined && <span aria-hidden="true">{order.isReverse ? '↓' : '↑'}</span>}
      </button>
    </span>
  );
}

const MAX_CELL = 300;

function ValueCell({
  cell,
  isNumber,
}: {
  readonly cell: Value | undefined;
  readonly isNumber: boolean;
}) {
  const text = cellText(cell);
  const number = cellNumber(cell);
  const shown = number === undefined ? text : numberText(number, text);
  const isNothing = cell === undefined || cell.type === 'Null';
  const quiet = isNumber && text === '0' ? ' dim' : '';
  return (
    <Cell of={isNumber ? `num${quiet}` : 'clip'} title={text}>
      {isNothing ? NOTHING : <OutsideText text={shown} max={MAX_CELL} />}
    </Cell>
  );
}

interface RowProps {
  readonly row: ResultRow;
  readonly at: DrawnAt;
  readonly shown: Shown;
}

function Values({ row, shown }: Pick<RowProps, 'row' | 'shown'>) {
  return (
    <>
      <ChangeMark change={changes.value.get(row.key)} />
      {shown.result.names.map((name, index) => (
        <ValueCell key={name} cell={row.cells[index]} isNumber={shown.isNumber[index] === true} />
      ))}
    </>
  );
}

/** What one WEC says of one object: it opens what it says, whole. */
function OneRow({ row, at, shown }: RowProps) {
  if (row.of === undefined) return <OneGroup row={row} at={at} shown={shown} />;
  const { workload, wec } = row.of;
  const place = placeOf(workload);
  const name = wecStatusName(row.of);
  const object = place.namespace === '' ? name : `${place.namespace}/${name}`;
  const href = routeText({ screen: 'wec', wec, object });
  return (
    <Row href={href} why={routeText({ screen: 'why', workload: place })} {...at}>
      {shown.hasObject && (
        <ObjectCell
          href={routeText({ screen: 'workload', workload: place })}
          name={place.name}
          note={place.namespace === '' ? place.resource : place.namespace}
        />
      )}
      <Cell>
        <a class="name" tabIndex={-1} href={href}>
          <Name text={wec} />
        </a>
      </Cell>
      <Values row={row} shown={shown} />
    </Row>
  );
}

/** A group: it opens the question about its rows. */
function OneGroup({ row, at, shown }: RowProps) {
  const go = (): void => void follow(rowsOfGroup(shown.asked, row.cells));
  return (
    <div
      class="tr hit"
      role="row"
      aria-rowindex={at.index + 2}
      tabIndex={at.isStop ? 0 : -1}
      data-href=""
      title="Show the rows of this group"
      style={{ ...at.style }}
      onClick={(event) => {
        if (!isLinkOrText(event.target)) go();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.ctrlKey) go();
      }}
    >
      <Values row={row} shown={shown} />
    </div>
  );
}

/** The rows of an answer. Those that are seen are drawn. */
export function ResultTable({
  result,
  asked,
}: {
  readonly result: QueryResult;
  readonly asked: Query;
}) {
  const kept = usePlaces(sortResult(result.rows, sort.value), ({ key }) => key, sort.value);
  const shown: Shown = {
    ...{ result, asked, hasObject: asked.name.trim() === '' },
    isNumber: result.names.map((_name, index) => isNumeric(result.rows, index)),
  };
  const { all, template, least } = columnsOf(shown);
  return (
    <div class="qx" {...kept.handlers}>
      <div
        class="tb qt"
        role="table"
        aria-label="Answer"
        aria-rowcount={result.rows.length + 1}
        style={{ '--cols': template, 'min-width': `${least}px` }}
      >
        <div class="tr th" role="row" aria-rowindex={1}>
          {all.map((column) => (
            <ColumnHead key={column} shown={shown} column={column} />
          ))}
        </div>
        <VirtualRows
          rows={kept.rows}
          share={TABLE_SHARE}
          draw={(row, at) => <OneRow key={row.key} row={row} at={at} shown={shown} />}
        />
      </div>
    </div>
  );
}
