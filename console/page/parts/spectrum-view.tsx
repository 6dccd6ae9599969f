import { useMemo } from 'preact/hooks';
import { spectrumText } from '#console/model/overview.ts';
import { plainShown } from '#console/model/shown-text.ts';
import {
  groupStarts,
  type Placed,
  spectrumTicks,
  type Tick,
  type WecOrder,
  WIDTH,
} from '#console/model/spectrum.ts';
import { OutsideText } from './outside-text.tsx';

const ROW_HEIGHT = 18;
const MAP_HEIGHT = 34;
const STROKE = 0.6;

function Drawn({ tick: { family, isHushed, x, y, width, height } }: { readonly tick: Tick }) {
  if (family !== 'absent')
    return <rect class={`k-${family}`} x={x} y={y} width={width} height={height} />;
  return (
    <rect
      class={isHushed ? 'k-hush' : 'k-absent'}
      x={x + width * 0.08}
      y={y + STROKE}
      width={Math.max(width * 0.84, 1)}
      height={height - 2 * STROKE}
      vector-effect="non-scaling-stroke"
      stroke-width="1.3"
    />
  );
}

/** One tick a WEC, always in the same place. A screen reader gets the counts. */
export function Spectrum({
  placed,
  order,
  isMap = false,
}: {
  readonly placed: readonly Placed[];
  readonly order: Pick<WecOrder, 'groups'>;
  readonly isMap?: boolean;
}) {
  const height = isMap ? MAP_HEIGHT : ROW_HEIGHT;
  const ticks = useMemo(() => spectrumTicks(placed, order, height), [placed, order, height]);
  return (
    <>
      <svg
        class={isMap ? 'sp big' : 'sp'}
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {ticks.map((tick) => (
          <Drawn tick={tick} key={`${tick.x}`} />
        ))}
      </svg>
      <span class="sr">{spectrumText(placed)}</span>
    </>
  );
}

/** The names of the groups of WECs, where they begin. */
export function Groups({ order }: { readonly order: WecOrder }) {
  const starts = groupStarts(order);
  return (
    <div class="regs">
      {starts.map(({ name, at }, index) => {
        const width = (starts[index + 1]?.at ?? 1) - at;
        return (
          <span
            key={name}
            title={plainShown(name)}
            style={{ left: `${at * 100}%`, maxWidth: `${width * 100}%` }}
          >
            <OutsideText text={name} max={60} />
          </span>
        );
      })}
    </div>
  );
}
