import { type Fault, withProposal } from '#console/model/query/faults.ts';
import { hiddenCharacters } from '#console/model/shown-text.ts';
import { OutsideText } from './outside-text.tsx';
import { Shape } from './verdict-mark.tsx';

/** So many faults of a field are shown. */
const MAX_SHOWN = 3;

/** The id of what is wrong with a field, for `aria-describedby`. */
export function faultsId(id: string): string {
  return `${id}-faults`;
}

function placeText(value: string, from: number): string {
  const before = value.slice(0, from).split('\n');
  const column = `column ${Array.from(before.at(-1) ?? '').length + 1}: `;
  return before.length === 1 ? column : `line ${before.length}, ${column}`;
}

/** What is wrong with a field, each with what may be written instead. */
export function FaultLines({
  id,
  value,
  faults,
  onTake,
}: {
  readonly id: string;
  readonly value: string;
  readonly faults: readonly Fault[];
  /** Called with the text in which a proposal was taken. */
  readonly onTake: (text: string) => void;
}) {
  const hidden = hiddenCharacters(value);
  if (faults.length === 0 && hidden.length === 0) return null;
  return (
    <div class="errs" id={faultsId(id)} role="alert">
      {faults.slice(0, MAX_SHOWN).map(({ message, range, proposal, isOfRows }) => (
        <p class={isOfRows === true ? 'err rows' : 'err'} key={message}>
          <Shape verdict={isOfRows === true ? 'Unknown' : 'Degraded'} />
          <span>
            {range !== undefined && isOfRows !== true && placeText(value, range.from)}
            <OutsideText text={message} max={500} />
            {proposal !== undefined && (
              <>
                {' '}
                <button
                  type="button"
                  class="ul"
                  onClick={() => onTake(withProposal(value, proposal))}
                >
                  <OutsideText text={proposal.text} />?
                </button>
              </>
            )}
          </span>
        </p>
      ))}
      {hidden.length > 0 && (
        <p class="err rows">
          <Shape verdict="Unknown" />
          <span>has characters that cannot be seen: {hidden.join(', ')}</span>
        </p>
      )}
    </div>
  );
}
