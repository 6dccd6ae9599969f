/** The row that has the focus, by what it opens, on a screen. It keeps the focus when its table is drawn anew. */
let focused: { readonly href: string; readonly screen: string } | undefined;

function hrefOf(row: HTMLElement): string | undefined {
  return row.dataset['href'];
}

/** Notes that a row has the focus. */
export function noteFocus({ currentTarget }: { readonly currentTarget: HTMLElement }): void {
  const href = hrefOf(currentTarget);
  focused = href === undefined ? undefined : { href, screen: location.hash };
}

/** What Enter opens although nothing has the focus: the row that had it is being drawn anew. */
export function hrefInFocus(): string | undefined {
  const isLost = document.activeElement === document.body;
  return isLost && focused?.screen === location.hash ? focused.href : undefined;
}

/** Gives a row that is drawn anew, or has been moved, the focus that it had. */
export function focusAgain(row: HTMLElement | null): void {
  if (row === null || hrefInFocus() !== hrefOf(row)) return;
  row.focus({ preventScroll: true });
}

function forget(): void {
  focused = undefined;
}

/** Forgets the row when the user himself puts the focus elsewhere. */
export function listenToFocus(): void {
  addEventListener('pointerdown', forget);
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || hrefOf(target) === undefined) forget();
  });
}
