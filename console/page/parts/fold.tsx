import { countText } from '#console/model/age.ts';
import { plainShown } from '#console/model/shown-text.ts';
import type { FieldRow, ValueGroup } from '#console/model/why.ts';
import { OutsideText } from './outside-text.tsx';

/** The height of a group, and where the lines begin, bend and meet. */
const ROW = 38;
const WIDTH = 262;
const POINT = 152;
const MAX_LINES = 9;
const MAX_TEXT = 8;
const LONG = 4;

function cut(text: string): string {
  const shown = plainShown(text, 200);
  return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT - 1)}…` : shown;
}

function Lines({
  count,
  y,
  to,
  look,
}: {
  readonly count: number;
  readonly y: number;
  readonly to: number;
  readonly look: Look;
}) {
  const drawn = Math.min(count, MAX_LINES);
  return (
    <>
      {Array.from({ length: drawn }, (_, line) => {
        const at = y + (line - (drawn - 1) / 2) * 2.1;
        return <path key={at} class={look} d={`M0 ${at}C72 ${at} 92 ${to} ${POINT} ${to}`} />;
      })}
    </>
  );
}

/** How a group takes part: it decides, it is left out, or neither. */
type Look = 'dec' | 'gone' | '';

function lookOf(group: ValueGroup, without: string | undefined): Look {
  if (without !== undefined && group.wecs.every((wec) => wec === without)) return 'gone';
  return group.isDeciding ? 'dec' : '';
}

function Group({
  group: { value, wecs },
  look,
  onChoose,
}: {
  readonly group: ValueGroup;
  readonly look: Look;
  readonly onChoose: (wec: string) => void;
}) {
  const [first = '', ...others] = wecs;
  return (
    <li class={look}>
      <code class="clip" title={plainShown(value, 300)}>
        <OutsideText text={value} max={60} />
      </code>
      <button
        type="button"
        class="clip"
        title={`Raw status of ${plainShown(first)}`}
        onClick={() => onChoose(first)}
      >
        <OutsideText text={first} max={60} />
        {others.length > 0 && <span class="dim"> +{countText(others.length)}</span>}
      </button>
    </li>
  );
}

/** What the WECs say, gathered by value, coming to one point: the value in the WDS. */
export function Fold({
  groups,
  row: { value, before },
  without,
  onChoose,
}: {
  readonly groups: readonly ValueGroup[];
  readonly row: Pick<FieldRow, 'value' | 'before'>;
  readonly without: string | undefined;
  /** Called with the first WEC of the group that is chosen. */
  readonly onChoose: (wec: string) => void;
}) {
  const height = Math.max(groups.length, 2) * ROW;
  const to = height / 2;
  const shown = value === undefined ? 'left out' : cut(value);
  const isLong = shown.length > LONG;
  const was = before === '' ? 'left out' : cut(before ?? '');
  return (
    <div class="foldg">
      <ul>
        {groups.map((group) => (
          <Group
            key={group.value}
            group={group}
            look={lookOf(group, without)}
            onChoose={onChoose}
          />
        ))}
      </ul>
      <svg
        class="fold"
        viewBox={`0 0 ${WIDTH} ${height}`}
        role="img"
        aria-label={`${groups.length} different values give ${shown}`}
      >
        {groups.map((group, index) => (
          <Lines
            key={group.value}
            count={group.wecs.length}
            y={index * ROW + ROW / 2}
            to={to}
            look={lookOf(group, without)}
          />
        ))}
        <path
          class="pt"
          d={`M${POINT} ${to - 13}l3.2 9.8 9.8 3.2-9.8 3.2-3.2 9.8-3.2-9.8-9.8-3.2 9.8-3.2Z`}
        />
        <text class={isLong ? 'st' : 'big'} x={POINT + 20} y={to + (isLong ? 4 : 9)}>
          {shown}
        </text>
        <text class="d" x={POINT + 20} y={to + 26}>
          {before === undefined ? 'in the WDS' : `was ${was}`}
        </text>
      </svg>
    </div>
  );
}
