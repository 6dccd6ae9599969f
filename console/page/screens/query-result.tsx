import type { Answer } from '#console/live/asker.ts';
import { ApiProblem, isQueryEnded, NotConnected } from '#console/live/client.ts';
import { countText } from '#console/model/age.ts';
import { chartColumns, chartOf } from '#console/model/query/chart.ts';
import { wholeErrors } from '#console/model/query/faults.ts';
import { NO_NAMESPACE, type Query } from '#console/model/query/query.ts';
import type { QueryResult } from '#console/model/query/result.ts';
import { held } from '#console/page/state/state.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { Blank, Forbidden, type Needed } from '../parts/blank.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { Head } from '../parts/small.tsx';
import { type AskedQuery, asking, charted, isInvalid, more, run } from './query-state.ts';
import { ResultTable } from './query-table.tsx';

const FORBIDDEN = new Set([401, 403]);
const INVALID = new Set([400, 422]);

function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function foundText({ rows, columns, price, next }: QueryResult): string {
  const soFar = next === undefined ? '' : ' so far';
  const of = price === undefined ? '' : ` of ${counted(price.rows, 'row')}`;
  return `${counted(rows.length, columns === undefined ? 'row' : 'group')}${of}${soFar}`;
}

function Freshness() {
  const { answer, isSlow, problem } = asking.value;
  if (answer === undefined) return null;
  const ms = `${Math.max(1, Math.round(answer.tookMs))} ms`;
  if (isInvalid.value) return <>the last valid query, {ms}</>;
  if (problem !== undefined) return <>as of the last answer</>;
  return (
    <>
      {ms}, {isSlow ? 'asking…' : held.value ? 'held' : 'live'}
    </>
  );
}

/** What a question needs in the WDS. */
function neededFor({ namespace, resource }: Query): Needed {
  const isInNamespace = namespace !== '' && namespace !== NO_NAMESPACE;
  const plural = isInNamespace ? 'statusqueries' : 'clusterstatusqueries';
  return {
    what: 'these rows',
    rights: [
      `create ${plural}.status.starfold.dev`,
      ...(resource === '' ? [] : [`get ${resource.trim()}`]),
    ],
    ...(isInNamespace ? { namespace: namespace.trim() } : {}),
  };
}

/** Why there is no answer. */
function Problem({ error, asked }: { readonly error: Error; readonly asked: Query }) {
  const code = error instanceof ApiProblem ? error.code : undefined;
  if (code !== undefined && FORBIDDEN.has(code))
    return <Forbidden said={error.message} needed={neededFor(asked)} onRetry={run} />;
  const title =
    error instanceof NotConnected ? 'The API does not answer' : 'The question was not answered';
  const text = (
    <>
      {code !== undefined && <b>{code} </b>}
      <OutsideText text={error.message} max={500} />.
      {isQueryEnded(error) ? '' : ' It is asked again every few seconds.'}
    </>
  );
  return (
    <Blank kind="error" title={title} text={text}>
      <button type="button" class="btn" onClick={run}>
        Try again
      </button>
    </Blank>
  );
}

function ChartChoice({
  names,
  columns,
  chosen,
}: {
  readonly names: readonly string[];
  readonly columns: readonly number[];
  readonly chosen: number;
}) {
  if (columns.length < 2) return null;
  return (
    <>
      {columns.map((column) => (
        <button
          type="button"
          class="btn"
          key={column}
          aria-pressed={column === chosen}
          onClick={() => {
            charted.value = column;
          }}
        >
          <OutsideText text={names[column] ?? ''} max={40} />
        </button>
      ))}
    </>
  );
}

function chartNote({ names, columns = [] }: QueryResult, column: number): string {
  const name = names[column] ?? '';
  if (columns.length === 0) return `rows by ${name}`;
  const keys = names.filter((_name, index) => columns[index] === 'key');
  return keys.length === 0 ? name : `${name} by ${keys.join(', ')}`;
}

function ChartView({ result }: { readonly result: QueryResult }) {
  const columns = chartColumns(result);
  const chosen = columns.find((column) => column === charted.value) ?? columns[0];
  const chart = chosen === undefined ? undefined : chartOf(result, chosen);
  if (chosen === undefined || chart === undefined) return null;
  const note = chartNote(result, chosen);
  return (
    <div>
      <Head
        title="Chart"
        note={<OutsideText text={note} max={200} />}
        right={<ChartChoice names={result.names} columns={columns} chosen={chosen} />}
      />
      <BarChart chart={chart} label={note} />
      {chart.left > 0 && <p class="note">{counted(chart.left, 'more group')}, not drawn.</p>}
    </div>
  );
}

function Notes({
  result,
  warnings,
}: {
  readonly result: QueryResult;
  readonly warnings: readonly string[];
}) {
  const notes = [...warnings, ...wholeErrors(result.errors)];
  return (
    <>
      {notes.map((text) => (
        <p class="note" role="status" key={text}>
          <OutsideText text={text} max={500} />
        </p>
      ))}
      {result.next !== undefined && (
        <p class="more">
          <button type="button" class="btn" disabled={asking.value.isRunning} onClick={more}>
            More
          </button>{' '}
          <span class="note">
            {result.columns === undefined
              ? 'One answer has no more rows.'
              : 'One answer reads no more rows: these are the groups of the rows that were read.'}
          </span>
        </p>
      )}
    </>
  );
}

function whyNone({ price, errors }: QueryResult): string {
  if (price?.rows === 0) return 'No Binding sends such an object to a WEC.';
  if (errors.length > 0) return 'Rows have errors, which stand beside their expressions.';
  return 'The filter lets no row pass.';
}

function Found({ answer: { result, asked, warnings } }: { readonly answer: Answer<AskedQuery> }) {
  return (
    <>
      <div aria-busy={asking.value.isSlow}>
        <Head title="Result" note={foundText(result)} right={<Freshness />} />
        {result.rows.length === 0 ? (
          <Blank kind="empty" title="No row fits" text={whyNone(result)} />
        ) : (
          <ResultTable result={result} asked={asked.query} />
        )}
        <Notes result={result} warnings={warnings} />
      </div>
      <ChartView result={result} />
    </>
  );
}

/** Why there is neither an answer nor a problem. */
function NotAsked() {
  if (asking.value.isRunning) return <p class="say dim late">Asking…</p>;
  if (isInvalid.value)
    return (
      <Blank
        kind="empty"
        title="There is no answer yet"
        text="The question is not valid yet. What is wrong stands beside it."
      />
    );
  return (
    <Blank
      kind="empty"
      title="Nothing is asked yet"
      text="Choose a ready-made question, or add a column."
    />
  );
}

/** The answer: a table and a chart, or why there is none. */
export function QueryResultView() {
  const { answer, problem } = asking.value;
  const error = problem?.error;
  const isOfFields = error instanceof ApiProblem && INVALID.has(error.code) && isInvalid.value;
  if (answer !== undefined && (error === undefined || isOfFields || error instanceof NotConnected))
    return <Found answer={answer} />;
  return (
    <div>
      <Head title="Result" />
      {problem === undefined || isOfFields ? (
        <NotAsked />
      ) : (
        <Problem error={problem.error} asked={problem.asked.query} />
      )}
    </div>
  );
}
