import { countVerdicts, VERDICTS } from '#shared/core/explanation/shown-verdict.ts';
import { tickHeight } from '#shared/core/explanation/spectrum.ts';
import { shortText } from './shown-text.ts';
import { spectrumOf, type Tick } from './spectrum.ts';
import { verdictOf, type WecRow } from './wec-rows.ts';

const WIDTH = 1_000;
const HEIGHT = 36;
const MAX_TICK = 40;

function titleOf({ first, last, count, verdict }: Tick): string {
  const { word } = VERDICTS[verdict];
  if (count === 1) return `${shortText(first)}: ${word}`;
  return `${count} WECs, ${shortText(first)} to ${shortText(last)}: the worst is ${word}`;
}

function TickView({ tick, at, width }: { tick: Tick; at: number; width: number }) {
  let left = at;
  return (
    <g>
      <title>{titleOf(tick)}</title>
      {tick.parts.map(({ verdict, width: share }) => {
        const { family } = VERDICTS[verdict];
        const height = tickHeight(verdict) * HEIGHT;
        const x = left;
        left += share * width;
        const inset = family === 'absent' ? 0.75 : 0;
        return (
          <rect
            key={verdict}
            className={`sf-tick-${family}`}
            x={x + inset}
            y={HEIGHT - height + inset}
            width={Math.max(share * width - 2 * inset, 0.5)}
            height={height - 2 * inset}
          />
        );
      })}
    </g>
  );
}

/** One tick a WEC, always in the same place. A screen reader gets the counts. */
export function SpectrumView({ rows }: { rows: readonly WecRow[] }) {
  const ticks = React.useMemo(() => spectrumOf(rows), [rows]);
  const counts = React.useMemo(
    () =>
      [...countVerdicts(rows.map(verdictOf))]
        .map(([verdict, count]) => `${count} ${VERDICTS[verdict].word}`)
        .join(', '),
    [rows],
  );
  if (ticks.length === 0) return null;
  const step = Math.min(WIDTH / ticks.length, MAX_TICK);
  const width = step * (ticks.length > 100 ? 0.9 : 0.7);
  return (
    <svg
      className="sf-spectrum"
      role="img"
      aria-label={`WECs by name: ${counts}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {ticks.map((tick, index) => (
        <TickView key={tick.first} tick={tick} at={index * step} width={width} />
      ))}
    </svg>
  );
}
