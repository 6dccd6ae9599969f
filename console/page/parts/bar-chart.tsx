import type { Chart } from '#console/model/query/chart.ts';
import { OutsideText } from './outside-text.tsx';

/** Bars with their labels and values. The extreme ones are drawn in ink. */
export function BarChart({ chart, label }: { readonly chart: Chart; readonly label: string }) {
  const most = Math.max(...chart.bars.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  return (
    <ul class="barc" aria-label={label}>
      {chart.bars.map(({ label: name, value, text }, index) => (
        // Labels may be the same.
        <li key={index} class={chart.extreme.has(index) ? 'hi' : ''}>
          <span class="clip" title={name.slice(0, 500)}>
            <OutsideText text={name} max={100} />
          </span>
          <span class="bar">
            <i style={{ width: `${(Math.abs(value) / most) * 100}%` }} />
            <b>{text}</b>
          </span>
        </li>
      ))}
    </ul>
  );
}
