import { useSignal } from '@preact/signals';
import { countText } from '#console/model/age.ts';
import type { ExplanationObject } from '#console/model/api-objects.ts';
import { placedVerdicts, sortedVerdicts, type WorkloadRow } from '#console/model/overview.ts';
import { explanationKey, routeText, type WorkloadPlace } from '#console/model/routes.ts';
import { type WecOrder, wecAt } from '#console/model/spectrum.ts';
import { clusterExplanations, explanations, wecOrder } from '#console/page/state/state.ts';
import type { Verdict } from '#shared/core/explanation/shown-verdict.ts';
import type { Placed } from '#shared/core/explanation/spectrum.ts';
import { ObjectCell } from '../parts/object-cell.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { Cell, Column, Row } from '../parts/row.tsx';
import { Age, ChangeMark, Of } from '../parts/small.tsx';
import { Groups, Spectrum } from '../parts/spectrum-view.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import { type DrawnAt, VirtualRows } from '../parts/virtual-rows.tsx';

/** Of more rows, only those that can be seen are drawn. */
const MAX_DRAWN = 60;

/** What is drawn in the spectra, by the key of the object. */
export interface Spectra {
  /** Whether each WEC has its place. */
  readonly isPlaced: boolean;
  readonly verdicts: ReadonlyMap<string, ReadonlyMap<string, Verdict>>;
  readonly explained: ReadonlyMap<string, ExplanationObject>;
}

function placedOf({ key }: WorkloadRow, spectra: Spectra, order: WecOrder): readonly Placed[] {
  if (spectra.isPlaced) return placedVerdicts(order, spectra.verdicts.get(key));
  const explanation = spectra.explained.get(key);
  return explanation === undefined ? [] : sortedVerdicts(explanation);
}

function DecidedBy({ row }: { readonly row: WorkloadRow }) {
  const { decidedBy, more, message, reported } = row;
  if (decidedBy === undefined && message === '')
    return <span class="dim">all {countText(reported[1])}</span>;
  return (
    <>
      {decidedBy !== undefined && (
        <b>
          <OutsideText text={decidedBy} />
        </b>
      )}
      {more > 0 && <span class="dim"> +{countText(more)}</span>}
      {'\u2002'}
      <OutsideText text={message} max={300} />
    </>
  );
}

function changeOf(place: WorkloadPlace): number | undefined {
  const { changes } = place.namespace === '' ? clusterExplanations : explanations;
  return changes.value.get(explanationKey(place));
}

const SHORT_KINDS: Readonly<Record<string, string>> = { HorizontalPodAutoscaler: 'HPA' };

/** A kind, and a namespace if there is one. */
export function kindText(kind: string, namespace: string): string {
  const short = SHORT_KINDS[kind] ?? kind;
  return namespace === '' ? short : `${short} · ${namespace}`;
}

function OneWorkload({
  row,
  at,
  spectra,
}: {
  readonly row: WorkloadRow;
  readonly at: Omit<DrawnAt, 'style'> & Partial<DrawnAt>;
  readonly spectra: Spectra;
}) {
  const { place, verdict, kind, reported, ready, message } = row;
  const href = routeText({ screen: 'workload', workload: place });
  const order = wecOrder.value;
  return (
    <Row href={href} why={routeText({ screen: 'why', workload: place })} {...at}>
      <Cell of="c-v">
        <VerdictMark verdict={verdict} />
      </Cell>
      <ObjectCell href={href} name={place.name} note={kindText(kind, place.namespace)} />
      <Cell of="c-sp spx">
        <Spectrum
          placed={placedOf(row, spectra, order)}
          order={spectra.isPlaced ? order : { groups: [] }}
        />
      </Cell>
      <Cell of="num c-w">
        <Of fraction={reported} />
      </Cell>
      <Cell of="num c-r">
        <Of fraction={ready} />
      </Cell>
      <Cell of="why clip" title={message}>
        <DecidedBy row={row} />
      </Cell>
      <Cell of="num age">
        <Age time={row.since} />
        <ChangeMark change={changeOf(row.place)} />
      </Cell>
    </Row>
  );
}

/** All workload objects, with a spectrum each. A crosshair names the WEC under the pointer. */
export function WorkloadTable({
  rows,
  spectra,
}: {
  readonly rows: readonly WorkloadRow[];
  readonly spectra: Spectra;
}) {
  const order = wecOrder.value;
  const isLong = rows.length > MAX_DRAWN;
  const cross = useSignal<{ left: number; share: number } | undefined>(undefined);
  const onMove = (event: MouseEvent): void => {
    const table = event.currentTarget as HTMLElement;
    const drawn = (event.target as Element).closest('.spx')?.getBoundingClientRect();
    cross.value =
      drawn === undefined
        ? undefined
        : {
            left: event.clientX - table.getBoundingClientRect().left,
            share: (event.clientX - drawn.left) / drawn.width,
          };
  };
  const at = spectra.isPlaced ? cross.value : undefined;
  return (
    <div
      class={`tb ov${isLong ? ' long' : ''}`}
      role="table"
      aria-label="Workloads, worst first"
      aria-rowcount={rows.length + 1}
      onMouseMove={onMove}
      onMouseLeave={() => {
        cross.value = undefined;
      }}
    >
      {at !== undefined && (
        <div
          class={`cross${at.share > 0.7 ? ' flip' : ''}`}
          style={{ left: `${at.left}px` }}
          aria-hidden="true"
        >
          <b>
            <OutsideText text={order.wecs[wecAt(order, at.share)] ?? ''} />
          </b>
        </div>
      )}
      <div class="tr th" role="row" aria-rowindex={1}>
        <Column>Verdict</Column>
        <Column>Object</Column>
        <Column>{spectra.isPlaced ? <Groups order={order} /> : 'WECs, worst first'}</Column>
        <Column of="num" title="WECs whose status counts, of those that are asked">
          WECs
        </Column>
        <Column of="num" title="In the status of the WDS">
          Ready
        </Column>
        <Column>Decided by</Column>
        <Column of="num" title="Since when the WDS has this status">
          Since
        </Column>
      </div>
      {isLong ? (
        <VirtualRows
          rows={rows}
          rowProperty="--row-ov"
          draw={(row, drawn) => (
            <OneWorkload key={row.key} row={row} at={drawn} spectra={spectra} />
          )}
        />
      ) : (
        rows.map((row, index) => (
          <OneWorkload
            key={row.key}
            row={row}
            at={{ index, isStop: index === 0 }}
            spectra={spectra}
          />
        ))
      )}
    </div>
  );
}
