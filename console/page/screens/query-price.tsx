import { countText } from '#console/model/age.ts';
import { leastSteps } from '#console/model/query/faults.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { MAX_QUERY_STEPS } from '#shared/core/limits.ts';
import { asking, faults } from './query-state.ts';

const ALL = 100;

function Meter({ share, isOver = false }: { readonly share: number; readonly isOver?: boolean }) {
  const percent = Math.min(ALL, Math.ceil(share * ALL));
  return (
    <div
      class={isOver ? 'meter over' : 'meter'}
      role="meter"
      aria-label="Share of what a row may take"
      aria-valuemin={0}
      aria-valuemax={ALL}
      aria-valuenow={percent}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
}

/** What the question takes of what it may take. */
export function Price() {
  const least = leastSteps([...faults.value.values()].flat());
  if (least !== undefined)
    return (
      <div class="price">
        <span class="f-bad">Too expensive</span>
        <Meter share={1} isOver />
        <span>
          at least {countText(least)} of {countText(MAX_STEPS)} steps a row
        </span>
      </div>
    );
  const price = asking.value.answer?.result.price;
  if (price === undefined) return null;
  const { rows, steps, rowSteps } = price;
  return (
    <div class="price">
      <span>Price</span>
      <Meter share={rowSteps / MAX_STEPS} />
      <span title={`${countText(steps)} of ${countText(MAX_QUERY_STEPS)} steps of an answer`}>
        {countText(rowSteps)} of {countText(MAX_STEPS)} steps a row, {countText(rows)}{' '}
        {rows === 1 ? 'row' : 'rows'}
      </span>
    </div>
  );
}
