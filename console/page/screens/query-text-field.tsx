import { FaultLines, faultsId } from '../parts/fault-lines.tsx';
import { faults } from './query-state.ts';

/** The id of a field of the editor. */
export function idOf(field: string): string {
  return `q-${field.replaceAll('.', '-')}`;
}

/** What is wrong with a field of the editor. */
export function faultsOf(field: string) {
  return faults.value.get(field) ?? [];
}

/** A short text: a name, a label selector, a number. */
export function TextField({
  field,
  label,
  value,
  placeholder = '',
  options,
  onInput,
}: {
  readonly field: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly options?: readonly string[];
  readonly onInput: (text: string) => void;
}) {
  const id = idOf(field);
  const found = faultsOf(field);
  return (
    <div class="txf">
      <input
        type="text"
        id={id}
        class="nm"
        aria-label={label}
        title={label}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={value}
        list={options === undefined ? undefined : `${id}-known`}
        {...(found.length > 0 ? { 'aria-invalid': true, 'aria-describedby': faultsId(id) } : {})}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {options !== undefined && (
        <datalist id={`${id}-known`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      <FaultLines id={id} value={value} faults={found} onTake={onInput} />
    </div>
  );
}
