import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useKeptScroll } from '../scroll.ts';
import type { RowStyle } from './row.tsx';

const AROUND = 8;
const NARROW = 1_180;
const LEAST = 260;
/** Of the window, where something else follows. */
const MAX_SHARE = 0.8;
/** The bar at the bottom, and a hairline. */
const BELOW = 27;

/** The height of a row, which is another one for fingers. */
function rowHeight(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'));
}

/** How high the rows may be. */
interface Room {
  readonly isLast: boolean;
  readonly share: number;
}

function heightOf(viewport: HTMLElement, content: number, { isLast, share }: Room): number {
  if (!isLast || innerWidth <= NARROW) return Math.min(content, innerHeight * share);
  const top = viewport.getBoundingClientRect().top + scrollY;
  return Math.max(LEAST, innerHeight - top - BELOW);
}

/** Draws only the rows that can be seen, and some around them, so that 10,000 cost what 40 do. */
export function VirtualRows<Row>({
  rows,
  isLast = false,
  share = MAX_SHARE,
  isStop = false,
  draw,
}: {
  readonly rows: readonly Row[];
  /** Whether nothing follows on the page, so that the rows take the rest of the window. */
  readonly isLast?: boolean;
  /** Of the height of the window, if something follows. */
  readonly share?: number;
  /** Whether the Tab key stops at the whole, because no row can have the focus. */
  readonly isStop?: boolean;
  readonly draw: (row: Row, index: number, style: RowStyle) => ComponentChildren;
}) {
  const viewport = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(LEAST);
  const each = rowHeight();
  const keepPosition = useKeptScroll(viewport);
  useEffect(() => {
    const measure = (): void => {
      const { current } = viewport;
      if (current === null) return;
      height.value = heightOf(current, rows.length * each, { isLast, share });
      // The heads of the columns leave as much room as the scroll bar takes.
      const bar = current.offsetWidth - current.clientWidth;
      current.parentElement?.style.setProperty('--sbw', `${bar}px`);
    };
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [rows.length, each, isLast, share]);
  const from = Math.max(0, Math.floor(top.value / each) - AROUND);
  const to = Math.min(rows.length, Math.ceil((top.value + height.value) / each) + AROUND);
  return (
    <div
      class="vp"
      ref={viewport}
      role="rowgroup"
      tabIndex={isStop ? 0 : -1}
      style={{ height: `${height.value}px` }}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
        keepPosition();
      }}
    >
      <div class="pad" role="presentation" style={{ height: `${rows.length * each}px` }}>
        {rows.slice(from, to).map((row, index) => {
          const at = from + index;
          return draw(row, at, { top: `${at * each}px` });
        })}
      </div>
    </div>
  );
}
