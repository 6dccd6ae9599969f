import type { ComponentChildren } from 'preact';
import { ageText, countText, secondsSince } from '#console/model/age.ts';
import type { Fraction } from '#console/model/wec-row.ts';
import { nowMs } from '#console/page/state/state.ts';

/** What is shown where nothing is known. */
export const NOTHING = <span class="dim">–</span>;

/** How long ago a time was; the title has the time. */
export function Age({ time }: { readonly time: string | undefined }) {
  const seconds = secondsSince(time, nowMs.value);
  if (time === undefined || seconds === undefined) return NOTHING;
  return (
    <time dateTime={time} title={time}>
      {ageText(seconds)}
    </time>
  );
}

/** So many of so many, aligned on the slash. */
export function Of({ fraction }: { readonly fraction: Fraction | undefined }) {
  if (fraction === undefined) return NOTHING;
  const [have, want] = fraction;
  return (
    <span class={`frac ${have === want ? 'ok' : 'no'}`}>
      <b>{countText(have)}</b>
      <i>/</i>
      <span>{countText(want)}</span>
    </span>
  );
}

/** The head of a section. */
export function Head({
  title,
  note,
  right,
}: {
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly right?: ComponentChildren;
}) {
  return (
    <div class="head">
      <h2>{title}</h2>
      {note !== undefined && <span class="n">{note}</span>}
      {right !== undefined && <span class="r">{right}</span>}
    </div>
  );
}

/** The mark of a change, which fades. It is drawn anew for each change. */
export function ChangeMark({ change }: { readonly change: number | undefined }) {
  return change === undefined ? null : <i class="chg" key={change} aria-hidden="true" />;
}
