import { ageText } from '#console/model/age.ts';

/** A count at a time. */
export interface Sample {
  readonly atMs: number;
  readonly count: number;
}

const WIDTH = 372;
const HEIGHT = 58;
const RIGHT = 44;
const TOP = 8;
const BOTTOM = 20;

/** A count over time, in steps. The last one is written out. */
export function Spark({
  samples,
  nowMs,
}: {
  readonly samples: readonly Sample[];
  readonly nowMs: number;
}) {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const most = Math.max(...samples.map(({ count }) => count), 1);
  const span = Math.max(nowMs - first.atMs, 1);
  const x = (ms: number) => (Math.min(ms - first.atMs, span) / span) * (WIDTH - RIGHT);
  const y = (count: number) => HEIGHT - BOTTOM - (count / most) * (HEIGHT - BOTTOM - TOP);
  const steps = samples.map(({ atMs, count }) => `H${x(atMs).toFixed(1)}V${y(count).toFixed(1)}`);
  const end = WIDTH - RIGHT;
  return (
    <svg class="spark" width={WIDTH} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M0 ${y(first.count).toFixed(1)}${steps.join('')}H${end}`} />
      <circle cx={end} cy={y(last.count)} r="3" />
      <text class="now" x={end + 9} y={y(last.count) + 4}>
        {last.count}
      </text>
      <text x="0" y={HEIGHT - 3}>
        {ageText(span / 1000)} ago, {first.count}
      </text>
    </svg>
  );
}
