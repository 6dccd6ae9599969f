import { useRef } from 'preact/hooks';
import { inPlace } from '#console/model/in-place.ts';

/** Rows in the order in which they are shown, and what the table has to listen to. */
export interface Kept<Row> {
  readonly rows: readonly Row[];
  readonly handlers: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
  };
}

/**
 * Keeps rows at their places while the pointer or the focus is among them, so that nobody opens what has just moved there.
 *
 * @param orderedBy what the user has chosen to order them by: when he chooses something else, rows move all the same
 */
export function usePlaces<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  orderedBy?: unknown,
): Kept<Row> {
  const before = useRef(orderedBy);
  const isUnder = useRef(false);
  const order = useRef<readonly string[]>([]);
  const focused = document.activeElement;
  const isFocused = focused instanceof HTMLElement && focused.dataset['href'] !== undefined;
  const isKept = (isUnder.current || isFocused) && before.current === orderedBy;
  before.current = orderedBy;
  const shown = isKept ? inPlace(rows, order.current, keyOf) : rows;
  order.current = shown.map(keyOf);
  return {
    rows: shown,
    handlers: {
      onPointerEnter: () => {
        isUnder.current = true;
      },
      onPointerLeave: () => {
        isUnder.current = false;
      },
    },
  };
}
