import { VERDICTS, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { MAX_SHOWN, shortText, visibleText } from './shown-text.ts';

const MAX_TITLE = 1_000;
const MAX_WHOLE = 20_000;

/** A short text of somebody else, such as a name. */
export function OutsideText({ text, max = MAX_SHOWN }: { text: string; max?: number }) {
  const shown = shortText(text, max);
  return <bdi title={shown === text ? undefined : shortText(text, MAX_TITLE)}>{shown}</bdi>;
}

/** A text of somebody else that may be long: the whole is shown on demand. */
export function LongText({ text }: { text: string }) {
  const shown = shortText(text);
  if (shown === visibleText(text)) return <bdi>{shown}</bdi>;
  return (
    <details className="sf-long">
      <summary>
        <bdi>{shown}</bdi>
      </summary>
      <pre>
        <bdi>{shortText(text, MAX_WHOLE)}</bdi>
      </pre>
    </details>
  );
}

const RING = 'M6 1.2a4.8 4.8 0 1 1 0 9.6a4.8 4.8 0 1 1 0-9.6z';

/** The shape of a verdict, so that it is told without its colour. Lines, unless `isSolid`. */
const SHAPES: Readonly<Record<Verdict, { path: string; isSolid?: true; dash?: string }>> = {
  Unknown: { path: `${RING}M4.4 4.8a1.6 1.6 0 1 1 2.2 1.5q-.6.3-.6 1M6 8.7v.4` },
  Degraded: { path: 'M6 0 12 6 6 12 0 6z', isSolid: true },
  TooLarge: { path: 'M1 5v6h6M4 8l6.5-6.500M6 1.500h4.500v4.5' },
  Refused: { path: 'M3.6.8h4.8l2.8 2.8v4.8l-2.8 2.8H3.6L.8 8.4V3.6zM3.4 6h5.2' },
  Missing: { path: 'M2 2l8 8M10 2l-8 8' },
  NotReported: { path: RING },
  Silent: { path: RING, dash: '2 1.8' },
  Progressing: {
    path: 'M6 1a5 5 0 1 1 0 10a5 5 0 1 1 0-10zM6 2.4a3.6 3.6 0 1 0 0 7.2z',
    isSolid: true,
  },
  Suspended: { path: 'M3 1.500h2v9h-2zM7 1.500h2v9h-2z', isSolid: true },
  Reported: { path: 'M2.5 5h7v2h-7z', isSolid: true },
  Healthy: { path: 'M6 3.200a2.8 2.8 0 1 1 0 5.600a2.8 2.8 0 1 1 0-5.600z', isSolid: true },
};

/** A verdict: shape, word and colour. */
export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const { path, isSolid, dash } = SHAPES[verdict];
  const drawn = isSolid
    ? { fill: 'currentColor' }
    : { fill: 'none', stroke: 'currentColor', strokeWidth: 1.6, strokeDasharray: dash };
  return (
    <span className={`sf-verdict sf-${VERDICTS[verdict].family}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path d={path} fillRule="evenodd" {...drawn} />
      </svg>
      {VERDICTS[verdict].word}
    </span>
  );
}
