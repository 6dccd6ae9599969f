import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { plainShown } from '#console/model/shown-text.ts';
import { focusAgain, noteFocus } from './focused-row.ts';

/** Where a row stands in a table that draws only some. */
export interface RowStyle {
  readonly top: string;
}

/** The rows of a table: all are reached by one stop of the Tab key, and then by arrows or j and k. */
export interface RowProps {
  /** Where the whole row leads. */
  readonly href: string;
  readonly index: number;
  /** Whether the Tab key stops here. */
  readonly isStop: boolean;
  readonly isOn?: boolean;
  readonly style?: RowStyle;
  readonly why?: string;
  readonly children: ComponentChildren;
}

/** Whether a click was on something of its own, or selected text. */
export function isLinkOrText(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest('a,button') !== null) return true;
  // Whoever selects text does not want to leave.
  return String(getSelection() ?? '') !== '';
}

/** A row that opens something. Its text can be selected; the link for assistive technology is in the cell of the name. */
export function Row({ href, index, isStop, isOn = false, style, why, children }: RowProps) {
  const element = useRef<HTMLDivElement>(null);
  // A browser takes the focus from a row that is moved, too.
  useLayoutEffect(() => focusAgain(element.current));
  const go = (): void => {
    location.hash = href;
  };
  return (
    <div
      ref={element}
      class={`tr hit${isOn ? ' on' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isStop ? 0 : -1}
      data-href={href}
      data-why={why}
      {...(style === undefined ? {} : { style: { ...style } })}
      onClick={(event) => {
        if (!isLinkOrText(event.target)) go();
      }}
      onFocus={noteFocus}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) go();
      }}
    >
      {children}
    </div>
  );
}

/** More of a title is not shown. */
const MAX_TITLE = 500;

/** A title, which may come from outside. */
function titleOf(title: string | undefined): { readonly title?: string } {
  return title === undefined || title === '' ? {} : { title: plainShown(title, MAX_TITLE) };
}

/** A cell. */
export function Cell({
  of = '',
  title,
  children,
}: {
  readonly of?: string;
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  return (
    <span class={of} role="cell" {...titleOf(title)}>
      {children}
    </span>
  );
}

/** The head of a column. */
export function Column({
  of = '',
  title,
  children,
}: {
  readonly of?: string;
  readonly title?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <span class={of} role="columnheader" {...titleOf(title)}>
      {children}
    </span>
  );
}
