import { countVerdicts, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { OutsideText, VerdictMark } from './outside-text.tsx';
import { type DetailsOf, WecDetails } from './wec-details.tsx';
import { verdictOf, type WecRow, worstFirst } from './wec-rows.ts';

/** So many rows are added at a time. */
const PAGE = 100;

/** Words for a state that the verdict does not tell. */
function noteOf(row: WecRow): string {
  const { state, health } = row;
  if (state === 'Missing') return 'the WEC does not have the object';
  if (state !== 'Silent') return '';
  return health === undefined ? '' : `last said ${health}`;
}

function Chip(props: {
  label: React.ReactNode;
  count: number;
  isOn: boolean;
  onPress: () => void;
}) {
  const { label, count, isOn, onPress } = props;
  return (
    <button type="button" className="sf-chip" aria-pressed={isOn} onClick={onPress}>
      {label} <b>{count.toLocaleString('en-US')}</b>
    </button>
  );
}

function Row({ row, of }: { row: WecRow; of: DetailsOf }) {
  const [isOpen, setOpen] = React.useState(false);
  return (
    <>
      <tr>
        <td>
          <VerdictMark verdict={verdictOf(row)} />
        </td>
        <td>
          <button
            type="button"
            className="sf-open"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <OutsideText text={row.wec} max={80} />
          </button>
        </td>
        <td className="sf-number">{row.ready ?? '–'}</td>
        <td>{noteOf(row)}</td>
      </tr>
      {isOpen && (
        <tr className="sf-details">
          <td colSpan={4}>
            <WecDetails of={of} wec={row.wec} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The WECs, worst first. */
export function WecList({ rows, of }: { rows: readonly WecRow[]; of: DetailsOf }) {
  const [wanted, setWanted] = React.useState<Verdict>();
  const [shown, setShown] = React.useState(PAGE);
  const counts = React.useMemo(() => countVerdicts(rows.map(verdictOf)), [rows]);
  const chosen = wanted !== undefined && counts.has(wanted) ? wanted : undefined;
  const ordered = React.useMemo(
    () => worstFirst(rows).filter((row) => chosen === undefined || verdictOf(row) === chosen),
    [rows, chosen],
  );
  const left = ordered.length - shown;
  return (
    <>
      <fieldset className="sf-chips">
        <legend className="sf-hidden">Which WECs are listed</legend>
        <Chip
          label="All"
          count={rows.length}
          isOn={chosen === undefined}
          onPress={() => setWanted(undefined)}
        />
        {[...counts].map(([verdict, count]) => (
          <Chip
            key={verdict}
            label={<VerdictMark verdict={verdict} />}
            count={count}
            isOn={chosen === verdict}
            onPress={() => setWanted(verdict)}
          />
        ))}
      </fieldset>
      <table className="sf-table sf-wecs">
        <caption className="sf-hidden">What each WEC reports, worst first</caption>
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">WEC</th>
            <th scope="col" className="sf-number">
              Ready
            </th>
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, shown).map((row) => (
            <Row key={row.wec} row={row} of={of} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" className="sf-button" onClick={() => setShown(shown + PAGE)}>
          Show {Math.min(PAGE, left)} more of {left.toLocaleString('en-US')}
        </button>
      )}
    </>
  );
}
