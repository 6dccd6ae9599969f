const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

interface Step {
  readonly belowSeconds: number;
  readonly unitSeconds: number;
  readonly unit: string;
  /** The smaller unit that is shown beside it. */
  readonly and?: readonly [seconds: number, unit: string];
}

const STEPS: readonly Step[] = [
  { belowSeconds: 2 * MINUTE_SECONDS, unitSeconds: 1, unit: 's' },
  { belowSeconds: 10 * MINUTE_SECONDS, unitSeconds: MINUTE_SECONDS, unit: 'm', and: [1, 's'] },
  { belowSeconds: 3 * HOUR_SECONDS, unitSeconds: MINUTE_SECONDS, unit: 'm' },
  {
    belowSeconds: 8 * HOUR_SECONDS,
    unitSeconds: HOUR_SECONDS,
    unit: 'h',
    and: [MINUTE_SECONDS, 'm'],
  },
  { belowSeconds: 2 * DAY_SECONDS, unitSeconds: HOUR_SECONDS, unit: 'h' },
  { belowSeconds: 8 * DAY_SECONDS, unitSeconds: DAY_SECONDS, unit: 'd', and: [HOUR_SECONDS, 'h'] },
  { belowSeconds: Number.POSITIVE_INFINITY, unitSeconds: DAY_SECONDS, unit: 'd' },
];

/** The time from one timestamp to another in the form of ages in `kubectl get`: `45s`, `3m20s`, `5h`, `2d3h`. */
export function ageText(from: string, to: Date): string {
  const start = Date.parse(from);
  if (Number.isNaN(start)) return '<unknown>';
  const seconds = Math.max(0, Math.floor((to.getTime() - start) / 1000));
  const step = STEPS.find(({ belowSeconds }) => seconds < belowSeconds);
  if (step === undefined) return '<unknown>';
  const whole = `${Math.floor(seconds / step.unitSeconds)}${step.unit}`;
  if (step.and === undefined) return whole;
  const rest = Math.floor((seconds % step.unitSeconds) / step.and[0]);
  return rest === 0 ? whole : `${whole}${rest}${step.and[1]}`;
}
