import { open, route, toggleHold, toggleTheme } from '#console/page/state/state.ts';
import { hrefInFocus } from './focused-row.ts';
import { hasKeys, showHelp } from './help.tsx';
import { focusedVirtualRow, type VirtualTable } from './virtual-tables.ts';

/** What a screen does for keys of its own. */
export interface ScreenKeys {
  readonly [key: string]: (() => void) | undefined;
}

let screenKeys: ScreenKeys = {};

/** Sets the keys of the screen that is shown. */
export function useKeysOf(keys: ScreenKeys): void {
  screenKeys = keys;
}

function rows(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main .tr.hit')];
}

/** Puts the focus on the next row, or the row before. Within virtual rows, the table scrolls with the focus. */
function move(step: number): void {
  const within = focusedVirtualRow();
  const to = (within?.index ?? 0) + step;
  if (within !== undefined && to >= 0 && to < within.table.count) {
    within.table.goTo(to);
    return;
  }
  const isOther = (row: Element): boolean =>
    row === document.activeElement || within?.viewport.contains(row) !== true;
  const all = rows().filter(isOther);
  const at = all.indexOf(document.activeElement as HTMLElement);
  // The key Tab stops in each table at one row, and so does who comes from elsewhere.
  const next = at < 0 ? (all.find(({ tabIndex }) => tabIndex === 0) ?? all[0]) : all[at + step];
  next?.focus({ preventScroll: false });
  next?.scrollIntoView({ block: 'nearest' });
}

function openWhy(): void {
  const focused = document.activeElement;
  const why = focused instanceof HTMLElement ? focused.dataset['why'] : undefined;
  if (why !== undefined) location.hash = why;
  else if (route.value.screen === 'workload' || route.value.screen === 'combined')
    open({ screen: 'why', workload: route.value.workload });
}

/** Where a key leads in a table that draws only some of its rows. Undefined: the browser scrolls. */
function leapTo(key: string, index: number, { page, count }: VirtualTable): number | undefined {
  switch (key) {
    case 'PageDown':
      return Math.min(index + page, count - 1);
    case 'PageUp':
      return Math.max(index - page, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/** Moves the focus far in a table. Returns whether it has. */
function leap(key: string): boolean {
  const within = focusedVirtualRow();
  const to = within && leapTo(key, within.index, within.table);
  if (to === undefined) return false;
  within?.table.goTo(to);
  return true;
}

/** Opens the row that had the focus when its table was drawn anew. What has the focus opens by itself. */
function openRow(): void {
  const href = hrefInFocus();
  if (href !== undefined) location.hash = href;
}

function back(): void {
  const { value } = route;
  if (value.screen === 'why' && value.without !== undefined) {
    const { without: _without, ...rest } = value;
    open(rest);
  } else if (value.screen === 'why' || value.screen === 'combined')
    open({ screen: 'workload', workload: value.workload });
  else if (value.screen !== 'overview') open({ screen: 'overview' });
}

const KEYS: ScreenKeys = {
  '/': () => document.getElementById('find')?.focus(),
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  w: openWhy,
  l: toggleHold,
  t: toggleTheme,
  '?': showHelp,
  Escape: back,
};

/** Keys that work also where single letters are turned off. */
const ALWAYS = new Set(['ArrowDown', 'ArrowUp', 'Enter', 'Escape']);

/** What keys do after `g`. */
const LEAPS: ScreenKeys = {
  o: () => open({ screen: 'overview' }),
  q: () => open({ screen: 'query' }),
};

let isAfterG = false;

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('input,textarea,select,dialog') !== null;
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape' && event.target instanceof HTMLInputElement) event.target.blur();
  if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
  if (leap(event.key)) event.preventDefault();
  else actOn(event);
}

/** Does what a key is for. */
function actOn(event: KeyboardEvent): void {
  if (!hasKeys.value && !ALWAYS.has(event.key)) return;
  const place = isAfterG ? LEAPS[event.key] : undefined;
  isAfterG = event.key === 'g';
  // What has the focus is opened by the browser.
  if (event.key === 'Enter') openRow();
  const act = place ?? screenKeys[event.key] ?? KEYS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** Listens to keys. */
export function listenToKeys(): void {
  addEventListener('keydown', onKey);
}
