import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { drawnParts, type TokenKind } from '#console/model/query/cel-tokens.ts';
import { type Completion, completed, completionAt } from '#console/model/query/completion.ts';
import type { Fault } from '#console/model/query/faults.ts';
import type { KnownName, KnownObjects } from '#console/model/query/names.ts';
import { FaultLines, faultsId } from './fault-lines.tsx';
import { OutsideText } from './outside-text.tsx';

/** What a field of an expression needs. */
export interface CelFieldProps {
  /** Different for each field of the screen. */
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly faults: readonly Fault[];
  readonly known: KnownObjects;
  readonly onInput: (text: string) => void;
}

const CLASSES: Readonly<Record<TokenKind, string>> = {
  variable: 'p',
  string: 's',
  literal: 'n',
  operator: 'o',
  other: '',
};

/** The expression as it is drawn, behind the text that is written. */
function Drawn({ value, faults }: Pick<CelFieldProps, 'value' | 'faults'>) {
  const marks = faults.flatMap(({ range }) => (range === undefined ? [] : [range]));
  return (
    <pre class="drawn" aria-hidden="true">
      {drawnParts(value, marks).map(({ kind, text, isMarked }, index) => (
        // Parts have no name but their place.
        <span key={index} class={`${CLASSES[kind]}${isMarked ? ' e' : ''}`}>
          {text}
        </span>
      ))}
      {'\u200b'}
    </pre>
  );
}

/** So many names are shown at a time. The list moves with the chosen one, and does not scroll. */
const MAX_SHOWN = 10;

function Options({
  id,
  completion: { options },
  chosen,
  onTake,
}: {
  readonly id: string;
  readonly completion: Completion;
  readonly chosen: number;
  readonly onTake: (option: KnownName) => void;
}) {
  const first = Math.max(0, Math.min(chosen - MAX_SHOWN / 2, options.length - MAX_SHOWN));
  return (
    <ul class="comp" id={`${id}-names`} role="listbox" aria-label="Names">
      {options.slice(first, first + MAX_SHOWN).map((option, at) => (
        <li
          key={option.text}
          id={`${id}-name-${first + at}`}
          role="option"
          aria-selected={first + at === chosen}
          aria-setsize={options.length}
          aria-posinset={first + at + 1}
          class={first + at === chosen ? 'on' : ''}
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(option);
          }}
        >
          <OutsideText text={option.text} max={100} />
          <span class="dim">{option.type}</span>
        </li>
      ))}
      {options.length > MAX_SHOWN && (
        <li class="dim" role="presentation">
          {chosen + 1} of {options.length}
        </li>
      )}
    </ul>
  );
}

/** The list of names of a field: when it opens, and what is taken from it. */
function useNames({ known, onInput }: CelFieldProps) {
  const completion = useSignal<Completion | undefined>(undefined);
  const chosen = useSignal(0);
  const close = (): void => {
    completion.value = undefined;
  };
  const open = (field: HTMLTextAreaElement, isAsked: boolean): void => {
    const { value, selectionStart } = field;
    const found = completionAt(value, selectionStart, known);
    const written = found === undefined ? '' : value.slice(found.from, found.to);
    // A list of everything is shown only to those who ask for it, and what is whole needs none.
    const isOfAll = written === '' && value[(found?.from ?? 0) - 1] !== '.';
    const isDone = found?.options.length === 1 && found.options[0]?.text === written;
    completion.value = isAsked || !(isDone || isOfAll) ? found : undefined;
    chosen.value = 0;
  };
  const take = (field: HTMLTextAreaElement, option: KnownName | undefined): void => {
    if (completion.value === undefined || option === undefined) return;
    const { text, caret } = completed(field.value, completion.value, option);
    field.value = text;
    field.setSelectionRange(caret, caret);
    close();
    onInput(text);
  };
  const move = (step: number): void => {
    const last = (completion.value?.options.length ?? 1) - 1;
    chosen.value = Math.max(0, Math.min(last, chosen.value + step));
  };
  return { completion, chosen, open, close, take, move };
}

/** One character that goes on with a name: the list opens by itself. */
const WRITTEN = /^[\w.]$/;

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Whether a key takes the chosen name of an open list. */
function isTaking({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return (key === 'Enter' && !ctrlKey && !metaKey) || (key === 'Tab' && !shiftKey);
}

/** What a key does in an open list of names. Returns whether it does anything. */
function inList(
  event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement },
  { completion, chosen, close, take, move }: ReturnType<typeof useNames>,
): boolean {
  const step = STEPS[event.key];
  if (step !== undefined) move(step);
  else if (event.key === 'Escape') close();
  else if (isTaking(event)) take(event.currentTarget, completion.value?.options[chosen.value]);
  else return false;
  return true;
}

function onKey(
  event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement },
  names: ReturnType<typeof useNames>,
): void {
  const { key, ctrlKey, currentTarget: field } = event;
  if (ctrlKey && key === ' ') {
    event.preventDefault();
    names.open(field, true);
  } else if (names.completion.value !== undefined) {
    if (inList(event, names)) event.preventDefault();
  } else if (key === 'Escape') field.blur();
}

/** A field for an expression: coloured, with marks where something is wrong, and with the names that may be written. */
export function CelField(props: CelFieldProps) {
  const { id, label, value, placeholder = '', faults, onInput } = props;
  const names = useNames(props);
  const field = useRef<HTMLTextAreaElement>(null);
  const { completion, chosen } = names;
  const isOpen = completion.value !== undefined;
  return (
    <div class="celf">
      <div class="cel">
        <Drawn value={value} faults={faults} />
        <textarea
          ref={field}
          id={id}
          rows={1}
          aria-label={label}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(isOpen
            ? {
                'aria-controls': `${id}-names`,
                'aria-activedescendant': `${id}-name-${chosen.value}`,
              }
            : {})}
          {...(faults.length > 0 ? { 'aria-invalid': true, 'aria-describedby': faultsId(id) } : {})}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={value}
          onInput={(event) => {
            onInput(event.currentTarget.value);
            if (WRITTEN.test((event as InputEvent).data ?? ''))
              names.open(event.currentTarget, false);
            else names.close();
          }}
          onKeyDown={(event) => onKey(event, names)}
          onBlur={names.close}
        />
        {completion.value !== undefined && (
          <Options
            id={id}
            completion={completion.value}
            chosen={chosen.value}
            onTake={(option) => {
              if (field.current !== null) names.take(field.current, option);
            }}
          />
        )}
      </div>
      <FaultLines
        id={id}
        value={value}
        faults={faults}
        onTake={(text) => {
          onInput(text);
          field.current?.focus();
        }}
      />
    </div>
  );
}
