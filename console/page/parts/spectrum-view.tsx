import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { spectrumText } from '#console/model/overview.ts';
import { plainShown } from '#console/model/shown-text.ts';
import {
  groupStarts,
  shortNames,
  spectrumTicks,
  type Tick,
  type WecOrder,
  WIDTH,
} from '#console/model/spectrum.ts';
import type { Placed } from '#shared/core/explanation/spectrum.ts';
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

/** About how wide a character is, and the line before a name. */
const CHARACTER_PX = 6.2;
const LINE_PX = 5;

/** The width of an element, also when it changes. 0 before it is drawn. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const width = useSignal(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      width.value = current.clientWidth;
    });
    width.value = current.clientWidth;
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width.value;
}

/** The names of the groups of WECs, where they begin. They are shortened where there is no room for all. */
export function Groups({ order }: { readonly order: WecOrder }) {
  const element = useRef<HTMLDivElement>(null);
  const px = useWidth(element);
  const starts = groupStarts(order);
  const widths = starts.map(({ at }, index) => (starts[index + 1]?.at ?? 1) - at);
  const names = starts.map(({ name }) => name);
  const fits = names.every(
    (name, index) => name.length * CHARACTER_PX + LINE_PX <= px * (widths[index] ?? 0),
  );
  const shown = fits ? names : shortNames(names);
  return (
    <div class="regs" ref={element}>
      {starts.map(({ name, at }, index) => {
        const width = widths[index] ?? 0;
        return (
          <span
            key={name}
            title={plainShown(name)}
            style={{ left: `${at * 100}%`, maxWidth: `${width * 100}%` }}
          >
            <OutsideText text={shown[index] ?? name} max={60} />
          </span>
        );
      })}
    </div>
  );
}
