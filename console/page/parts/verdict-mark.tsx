import type { JSX } from 'preact';
import { VERDICTS, type Verdict } from '#shared/core/explanation/shown-verdict.ts';

const RING = <circle cx="6" cy="6" r="4.9" fill="none" stroke="currentColor" />;

/** Verdicts differ by their shapes, too, never by colour alone. */
const SHAPES: Readonly<Record<Verdict, JSX.Element>> = {
  Degraded: <path d="M6 0 12 6 6 12 0 6Z" fill="currentColor" />,
  TooLarge: (
    <g fill="none" stroke="currentColor" stroke-width="1.5">
      <path d="M1 1h10v10H1Z" />
      <path d="M3.6 8.4 8.4 3.6M4.8 3.6h3.6v3.6" />
    </g>
  ),
  Refused: (
    <g fill="none" stroke="currentColor" stroke-width="1.7">
      <path d="M3.6.8h4.8l2.8 2.8v4.8l-2.8 2.8H3.6L.8 8.4V3.6Z" />
      <path d="M3.4 6h5.2" />
    </g>
  ),
  Unknown: (
    <>
      <circle cx="6" cy="6" r="5.2" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path
        d="M4.4 4.7C4.5 3.6 5.2 3 6 3s1.6.6 1.6 1.5C7.6 5.6 6 5.7 6 7"
        fill="none"
        stroke="currentColor"
        stroke-width="1.3"
      />
      <circle cx="6" cy="8.8" r=".85" fill="currentColor" />
    </>
  ),
  Missing: <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" stroke-width="1.8" fill="none" />,
  Silent: (
    <g stroke-width="1.7" stroke-dasharray="2.2 1.65">
      {RING}
    </g>
  ),
  NotReported: <g stroke-width="1.3">{RING}</g>,
  Progressing: (
    <>
      <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M6 1a5 5 0 0 1 0 10Z" fill="currentColor" />
    </>
  ),
  Suspended: <path d="M3.4 1.8v8.4M8.6 1.8v8.4" stroke="currentColor" stroke-width="2.2" />,
  Reported: <circle cx="6" cy="6" r="2.6" fill="none" stroke="currentColor" stroke-width="1.4" />,
  Healthy: <circle cx="6" cy="6" r="3.1" fill="currentColor" />,
};

/** The shape of a verdict. Its word must stand beside it. */
export function Shape({ verdict }: { readonly verdict: Verdict }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true" class={`f-${VERDICTS[verdict].family}`}>
      {SHAPES[verdict]}
    </svg>
  );
}

/** A verdict: shape, word and colour. */
export function VerdictMark({
  verdict,
  word,
}: {
  readonly verdict: Verdict;
  readonly word?: string;
}) {
  return (
    <span class={`v f-${VERDICTS[verdict].family}`}>
      <Shape verdict={verdict} />
      {word ?? VERDICTS[verdict].word}
    </span>
  );
}
