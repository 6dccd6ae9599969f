import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Positions in pixels, by step of the browser's history and by what scrolls. */
const positions = new Map<string, number>();

/** A position is restored in this time, as what is shown is read anew. */
const RESTORE_MS = 5_000;

function markedStep(): string | undefined {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'step' in state
    ? String(state.step)
    : undefined;
}

/** Gives the present step of the history a name, which it keeps also when the page is loaded again. */
function markStep(): string {
  const name = String(performance.timeOrigin + performance.now());
  history.replaceState({ step: name }, '');
  return name;
}

/** The step of the history that is shown. */
const step = signal(markedStep() ?? markStep());

function screenOf(hash: string): string {
  return hash.replace(/\?.*$/, '');
}

let screen = screenOf(location.hash);
let wanted: { readonly position: number; readonly untilMs: number } | undefined;

/** Goes to the position that the page had at this step. A screen that is opened anew begins at its top. */
export function enterStep(): void {
  const known = markedStep();
  step.value = known ?? markStep();
  const isSameScreen = screenOf(location.hash) === screen;
  screen = screenOf(location.hash);
  const position = positions.get(step.value) ?? (isSameScreen ? undefined : 0);
  wanted =
    position === undefined ? undefined : { position, untilMs: performance.now() + RESTORE_MS };
  if (position === 0) scrollTo(0, 0);
}

function restorePage(): void {
  if (wanted === undefined || performance.now() > wanted.untilMs) return;
  scrollTo(0, wanted.position);
}

function giveUp(): void {
  wanted = undefined;
}

/** Keeps the position of the page, of each step. */
export function keepScroll(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scroll', () => {
    const isRestoring = wanted !== undefined && scrollY < wanted.position;
    if (!isRestoring) positions.set(step.peek(), scrollY);
  });
  // What the user does himself is not undone.
  for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(name, giveUp, { passive: true });
  new ResizeObserver(restorePage).observe(document.body);
}

function keyOf(at: string, { current }: RefObject<HTMLElement | null>): string {
  return `${at} ${current?.parentElement?.ariaLabel ?? ''}`;
}

/** Keeps the position of a table that scrolls. Returns what it has to call when it scrolls. */
export function useKeptScroll(viewport: RefObject<HTMLElement | null>): () => void {
  const { value: at } = step;
  const before = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    before.current = positions.get(keyOf(at, viewport));
  }, [at]);
  useLayoutEffect(() => {
    const { current } = viewport;
    const position = before.current;
    // Until enough rows are read, it cannot scroll so far.
    if (current === null || position === undefined) return;
    if (current.scrollHeight - current.clientHeight < position) return;
    current.scrollTop = position;
    before.current = undefined;
  });
  return () => {
    before.current = undefined;
    positions.set(keyOf(at, viewport), viewport.current?.scrollTop ?? 0);
  };
}
