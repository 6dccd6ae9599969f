import { signal } from '@preact/signals';

const ALL: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['g o', 'overview'],
  ['g q', 'query'],
  ['j k ↓ ↑', 'next, previous row'],
  ['PageDown PageUp Home End', 'far in a table'],
  ['⏎', 'open'],
  ['w', 'why'],
  ['x', 'what if the WEC that decides were gone'],
  ['[ ]', 'previous, next WEC'],
  ['Ctrl ⏎', 'in Query: run'],
  ['Ctrl Space', 'in Query: names that may be written'],
  ['y', 'in Query: copy the StatusCollector'],
  ['l', 'hold changes, let them in'],
  ['t', 'dark or light'],
  ['Esc', 'back, close'],
];

const STORED = 'single-keys';

/** Whether keys without Ctrl do anything (WCAG 2.2, 2.1.4). */
export const hasKeys = signal(localStorage.getItem(STORED) !== 'off');

/** All keys, and the switch that turns them off. */
export function Help() {
  return (
    <dialog id="help" aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <div class="km">
        {ALL.map(([names, what]) => (
          <>
            <span>
              {names.split(' ').map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </span>
            <span>{what}</span>
          </>
        ))}
      </div>
      <form method="dialog" class="filters">
        <label>
          <input
            type="checkbox"
            checked={hasKeys.value}
            onChange={(event) => {
              hasKeys.value = event.currentTarget.checked;
              localStorage.setItem(STORED, hasKeys.value ? 'on' : 'off');
            }}
          />{' '}
          single keys do something
        </label>
        <button type="submit" class="btn">
          Close
        </button>
      </form>
    </dialog>
  );
}

/** Shows all keys. */
export function showHelp(): void {
  const dialog = document.getElementById('help');
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}
