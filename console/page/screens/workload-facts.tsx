import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ageText, countText } from '#console/model/age.ts';
import type { ExplanationObject } from '#console/model/api-objects.ts';
import type { CombinedTable } from '#console/model/combined.ts';
import { routeText, type WorkloadPlace } from '#console/model/routes.ts';
import type { WecRow } from '#console/model/wec-row.ts';
import type { FieldRow } from '#console/model/why.ts';
import { type ConditionRow, factsOf } from '#console/model/workload.ts';
import { nowMs, openedMs } from '#console/page/state/state.ts';
import { isAmiss } from '#shared/core/explanation/shown-verdict.ts';
import { OutsideText } from '../parts/outside-text.tsx';
import { Head } from '../parts/small.tsx';
import { type Sample, Spark } from '../parts/spark.tsx';
import { columnNote, Histogram } from './combined.tsx';

/** Who decides a field, in a few words. */
function By({ row, qualified }: { readonly row: FieldRow; readonly qualified: number }) {
  const { decidedBy, isByAll } = row;
  const [first, ...others] = decidedBy;
  if (isByAll || first === undefined)
    return <span class="by">{isByAll ? `all ${countText(qualified)}` : 'no one'}</span>;
  return (
    <span class="by dec clip">
      <OutsideText text={first.wec} />
      {others.length > 0 && <span class="dim"> +{others.length}</span>}
    </span>
  );
}

function Condition({
  condition,
  href,
}: {
  readonly condition: ConditionRow;
  readonly href: string;
}) {
  const { type, status, reason, message, field } = condition;
  const [first] = field.decidedBy;
  return (
    <a class="cond" href={href}>
      <b>
        <OutsideText text={`${type} ${status}`} />
      </b>
      <span class="dim">{first !== undefined && <OutsideText text={first.wec} />}</span>
      <p>
        <code>
          <OutsideText text={reason} max={100} />
        </code>{' '}
        <OutsideText text={message} max={300} />
      </p>
    </a>
  );
}

const MAX_SAMPLES = 500;

/** How many WECs were not healthy, at each change since the screen was opened. */
function useSamples(count: number, isKnown: boolean): readonly Sample[] {
  const samples = useSignal<readonly Sample[]>([]);
  useEffect(() => {
    if (isKnown)
      samples.value = [...samples.peek(), { atMs: Date.now(), count }].slice(-MAX_SAMPLES);
  }, [count, isKnown]);
  return samples.value;
}

/** The first CombinedStatus that is a histogram, and the way to all of them. */
function FirstHistogram({
  workload,
  tables,
}: {
  readonly workload: WorkloadPlace;
  readonly tables: readonly CombinedTable[];
}) {
  const table = tables.find(({ bars }) => bars !== undefined);
  if (table?.bars === undefined) return null;
  return (
    <section>
      <Head
        title={<OutsideText text={table.collector} max={60} />}
        note={<>by {columnNote(table, 0)}</>}
        right={
          <a class="ul" href={routeText({ screen: 'combined', workload })}>
            all {countText(tables.length)}
          </a>
        }
      />
      <Histogram table={table} bars={table.bars} />
    </section>
  );
}

/** What the WDS says, who decides it, and how many WECs are not yet healthy. */
export function WorkloadFacts({
  workload,
  explanation,
  rows,
  isRead,
  tables,
}: {
  readonly workload: WorkloadPlace;
  readonly explanation: ExplanationObject;
  readonly rows: readonly WecRow[];
  /** Whether these are all rows: the first pages are no change. */
  readonly isRead: boolean;
  readonly tables: readonly CombinedTable[];
}) {
  const { fields, conditions } = factsOf(explanation);
  const { decision, wecs } = explanation;
  const amiss = rows.filter(({ verdict }) => isAmiss(verdict)).length;
  const samples = useSamples(amiss, isRead);
  const hrefOf = (field: string) => routeText({ screen: 'why', workload, field });
  return (
    <aside class="col">
      <section>
        <Head title="What the WDS says" right="value, decided by" />
        {fields.map((row) => (
          <a class="fx" href={hrefOf(row.path)} key={row.path}>
            <span class="k clip">
              <OutsideText text={row.path} />
            </span>
            <span class="val clip">
              <OutsideText text={row.value ?? ''} max={100} />
            </span>
            <By row={row} qualified={wecs.qualified} />
          </a>
        ))}
        {conditions.map((condition) => (
          <Condition key={condition.path} condition={condition} href={hrefOf(condition.path)} />
        ))}
        {fields.length + conditions.length === 0 && (
          <p class="note">
            No status: <OutsideText text={decision.reason} />.
          </p>
        )}
      </section>
      <section>
        <Head title="Not yet healthy" note="WECs" right="since you opened this page" />
        <Spark samples={samples} nowMs={nowMs.value} />
        <p class="sr">
          {samples[0] !== undefined &&
            `From ${samples[0].count} to ${amiss} in ${ageText((nowMs.value - openedMs) / 1000)}`}
        </p>
      </section>
      <FirstHistogram workload={workload} tables={tables} />
      <section>
        <Head title="Asked for by" right="WECs" />
        <div class="tb small">
          {decision.bindings.map(({ name, multiWEC, singleton, destinations }) => (
            <div class="tr" key={name}>
              <span class="clip">
                <OutsideText text={name} />{' '}
                <span class="dim">
                  Binding{multiWEC ? ', multi-WEC status' : singleton ? ', singleton status' : ''}
                </span>
              </span>
              <span>{countText(destinations)}</span>
            </div>
          ))}
        </div>
        <p class="note">
          <OutsideText text={decision.reason} />.
        </p>
      </section>
    </aside>
  );
}
