import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useKeptScroll } from '#console/page/state/scroll.ts';
import type { RowStyle } from './row.tsx';
import { indexOfRow, setVirtualTable } from './virtual-tables.ts';

const AROUND = 8;
const NARROW = 1_180;
const LEAST = 260;
/** Of the window, where something else follows. */
const MAX_SHARE = 0.8;
/** The bar at the bottom, and a hairline. */
const BELOW = 27;

/** The height of a row, which is another one for fingers: a property of the style. */
function rowHeight(property: string): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(property));
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

/** Where a row is drawn. */
export interface DrawnAt {
  readonly index: number;
  readonly style: RowStyle;
  /** Whether the Tab key stops here. */
  readonly isStop: boolean;
}

/** The part of a table that is seen. */
interface Seen {
  readonly top: number;
  readonly height: number;
  readonly each: number;
  readonly count: number;
}

function rowAt(viewport: HTMLElement, index: number): HTMLElement | null {
  return viewport.querySelector(`.tr[aria-rowindex="${index + 2}"]`);
}

function scrollToRow(viewport: HTMLElement, index: number, each: number): void {
  const [from, to] = [index * each, (index + 1) * each];
  if (from < viewport.scrollTop) viewport.scrollTop = from;
  else if (to > viewport.scrollTop + viewport.clientHeight)
    viewport.scrollTop = to - viewport.clientHeight;
}

/** The focus among rows of which some are not drawn. */
interface RowFocus {
  /** The row that has it, which is drawn wherever it is. */
  readonly focused: number | undefined;
  /** The row at which the Tab key stops: that which had the focus last, or the first that is seen whole. */
  readonly stop: number;
  readonly handlers: {
    readonly onFocusIn: (event: FocusEvent) => void;
    readonly onFocusOut: () => void;
  };
}

/** Lets the keyboard reach every row. */
function useRowFocus(viewport: RefObject<HTMLDivElement | null>, seen: Seen): RowFocus {
  const { top, height, each, count } = seen;
  const last = useSignal(0);
  const isIn = useSignal(false);
  const wanted = useRef<number | undefined>(undefined);
  const take = (index: number): void => {
    const row = viewport.current === null ? null : rowAt(viewport.current, index);
    wanted.current = row === null ? index : undefined;
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  };
  useLayoutEffect(() => {
    const { current } = viewport;
    if (current === null) return;
    const goTo = (index: number): void => {
      last.value = index;
      isIn.value = true;
      scrollToRow(current, index, each);
      take(index);
    };
    setVirtualTable(current, { count, page: Math.max(1, Math.floor(height / each) - 1), goTo });
    if (wanted.current !== undefined) take(wanted.current);
    // Rows before it may have come or gone.
    const { activeElement } = document;
    if (activeElement?.matches('.tr') && current.contains(activeElement))
      last.value = indexOfRow(activeElement);
  });
  const [first, end] = [Math.ceil(top / each), Math.floor((top + height) / each)];
  const isSeen = last.value >= first && last.value < Math.max(end, first + 1);
  const stop = isIn.value || isSeen ? last.value : first;
  return {
    focused: isIn.value ? last.value : undefined,
    stop: Math.max(0, Math.min(stop, count - 1)),
    handlers: {
      onFocusIn: ({ target }) => {
        const row = target instanceof Element ? target.closest('.tr') : null;
        if (row === null) return;
        last.value = indexOfRow(row);
        isIn.value = true;
      },
      onFocusOut: () => {
        isIn.value = false;
      },
    },
  };
}

/** The rows that are drawn: those that are seen, some around them, and the one that has the focus. */
function drawnIndexes(
  { top, height, each, count }: Seen,
  focused: number | undefined,
): readonly number[] {
  const from = Math.max(0, Math.floor(top / each) - AROUND);
  const to = Math.min(count, Math.ceil((top + height) / each) + AROUND);
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  if (focused === undefined || focused >= count || (focused >= from && focused < to)) return drawn;
  return focused < from ? [focused, ...drawn] : [...drawn, focused];
}

/** Draws only the rows that can be seen, and some around them, so that 10,000 cost what 40 do. */
export function VirtualRows<Row>({
  rows,
  isLast = false,
  share = MAX_SHARE,
  isStop = false,
  rowProperty = '--row',
  draw,
}: {
  readonly rows: readonly Row[];
  /** Whether nothing follows on the page, so that the rows take the rest of the window. */
  readonly isLast?: boolean;
  /** Of the height of the window, if something follows. */
  readonly share?: number;
  /** Whether the Tab key stops at the whole, because no row can have the focus. */
  readonly isStop?: boolean;
  /** The property of the style that has the height of a row. */
  readonly rowProperty?: '--row' | '--row-ov';
  readonly draw: (row: Row, at: DrawnAt) => ComponentChildren;
}) {
  const viewport = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(LEAST);
  const each = rowHeight(rowProperty);
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
  const seen = { top: top.value, height: height.value, each, count: rows.length };
  const { focused, stop, handlers } = useRowFocus(viewport, seen);
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
      {...handlers}
    >
      <div class="pad" role="presentation" style={{ height: `${rows.length * each}px` }}>
        {drawnIndexes(seen, focused).map((index) =>
          // Every index is that of a row.
          draw(rows[index] as Row, {
            index,
            style: { top: `${index * each}px` },
            isStop: index === stop,
          }),
        )}
      </div>
    </div>
  );
}
