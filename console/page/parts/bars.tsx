import { countText } from '#console/model/age.ts';
import { plainShown } from '#console/model/shown-text.ts';
import {
  held,
  keptBack,
  retryNow,
  revision,
  route,
  stale,
  toggleHold,
  toggleTheme,
  wdsName,
} from '#console/page/state/state.ts';
import { OutsideText } from './outside-text.tsx';
import { SearchBox } from './search-box.tsx';
import { Shape } from './verdict-mark.tsx';

function Logo() {
  return (
    <a class="mark" href="#/" aria-label="Starfold, overview">
      <svg class="star" viewBox="0 0 24 24" aria-hidden="true">
        <g fill="currentColor">
          <path d="M11 0 23 12 8.6 8.6Z" />
          <path opacity=".45" d="M0 11 8.6 8.6 23 12Z" />
          <path d="M0 13 8.6 15.4 23 12Z" />
          <path opacity=".45" d="M11 24 23 12 8.6 15.4Z" />
        </g>
      </svg>
      <svg
        class="word"
        viewBox="0 0 76 14"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        stroke-width="1.65"
        stroke-linecap="round"
        stroke-linejoin="round"
      >
        <path d="M6.3 6.5C5.7 5.5 4.8 5 3.7 5 2.3 5 1.3 5.8 1.3 7c0 2.7 5.2 1.3 5.2 4 0 1.2-1.1 2-2.7 2C2.5 13 1.5 12.5.9 11.4" />
        <path d="M11.5 2v8.6c0 1.6.7 2.4 2.3 2.4M9.500 5h4.300" />
        <circle cx="20.6" cy="9" r="4" />
        <path d="M24.6 5v8" />
        <path d="M28.6 13V5m0 4c0-2.600 1.300-4 3.600-4" />
        <path d="M39.600 1.200C37.200.8 36.400 2 36.400 3.800V13M34.400 5h4.600" />
        <circle cx="45.4" cy="9" r="4" />
        <path d="M53.6 1v12" />
        <circle cx="61.4" cy="9" r="4" />
        <path d="M65.4 1v12" />
      </svg>
    </a>
  );
}

function Live() {
  if (stale.value !== undefined)
    return (
      <span class="live off" role="status">
        <i />
        <span>{stale.value.refused === undefined ? 'not connected' : 'not up to date'}</span>
      </span>
    );
  if (!held.value)
    return (
      <span class="live" role="status">
        <i />
        <span>live</span>
      </span>
    );
  return (
    <button type="button" class="live held" onClick={toggleHold}>
      <i />
      <span>held, {countText(keptBack.value)} changes</span>
    </button>
  );
}

/** The bar at the top. */
export function TopBar() {
  return (
    <header class="top">
      <Logo />
      <nav aria-label="Screens">
        <a href="#/" {...(route.value.screen === 'overview' ? { 'aria-current': 'page' } : {})}>
          Overview
        </a>
        <a href="#/query" {...(route.value.screen === 'query' ? { 'aria-current': 'page' } : {})}>
          Query
        </a>
      </nav>
      <SearchBox />
      <div class="tools">
        {wdsName !== '' && (
          <span class="wds clip" title={`WDS ${plainShown(wdsName)}`}>
            <OutsideText text={wdsName} max={80} />
          </span>
        )}
        <Live />
        <button
          type="button"
          class="ib"
          aria-label="Dark or light"
          title="Dark or light (t)"
          onClick={toggleTheme}
        >
          <svg
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            stroke-width="1.4"
            aria-hidden="true"
          >
            <circle cx="8" cy="8" r="5.6" />
            <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2Z" fill="currentColor" />
          </svg>
        </button>
      </div>
    </header>
  );
}

const UNAUTHORIZED = 401;

function timeText(at: Date): string {
  return at.toLocaleTimeString('en-GB');
}

/** Says that what is shown may no longer be true. */
export function StaleBanner() {
  const { value } = stale;
  if (value === undefined) return null;
  const { sinceMs, said, refused } = value;
  const at = new Date(sinceMs);
  return (
    <div class={`banner${refused === undefined ? '' : ' bad'}`} role="alert">
      <Shape verdict={refused === undefined ? 'Silent' : 'Refused'} />
      <span>
        <b>{refused === undefined ? 'Not connected' : 'Not up to date'}</b> since{' '}
        <time dateTime={at.toISOString()}>{timeText(at)}</time>
        {refused !== undefined && `: the API answers ${refused}`}. This is what was true then. The
        page tries again every few seconds.
        {refused === UNAUTHORIZED && ' If your session has ended, load the page again to log in.'}
        {said !== undefined && (
          <>
            {' '}
            <OutsideText text={said} max={300} />
          </>
        )}
      </span>
      <button type="button" class="btn go" onClick={retryNow}>
        Try now
      </button>
    </div>
  );
}

const KEYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  overview: [
    ['/', 'search'],
    ['j k', 'rows'],
    ['⏎', 'open'],
    ['w', 'why'],
  ],
  workload: [
    ['j k', 'rows'],
    ['⏎', 'open WEC'],
    ['w', 'why'],
    ['l', 'hold'],
  ],
  combined: [
    ['j k', 'rows'],
    ['⏎', 'open WEC'],
    ['w', 'why'],
    ['Esc', 'back'],
  ],
  why: [
    ['j k', 'fields'],
    ['x', 'what if'],
    ['Esc', 'back'],
  ],
  wec: [
    ['j k', 'objects'],
    ['w', 'why'],
    ['[ ]', 'next WEC'],
  ],
  query: [
    ['Ctrl ⏎', 'run'],
    ['Ctrl Space', 'complete'],
    ['y', 'copy'],
  ],
};

/** The bar at the bottom: where this is read from, and the keys that work here. */
export function Foot({ onHelp }: { readonly onHelp: () => void }) {
  const keys = KEYS[route.value.screen] ?? [];
  return (
    <footer class="foot">
      <span class="nowrap">revision {countText(revision.value)}</span>
      <span class="nowrap">
        {stale.value === undefined
          ? 'reads /apis/status.starfold.dev/v1alpha1'
          : `as of ${timeText(new Date(stale.value.sinceMs))}`}
      </span>
      <span class="keys">
        {keys.map(([names, what]) => (
          <span key={names}>
            {names.split(' ').map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
            {what}
          </span>
        ))}
        <button type="button" onClick={onHelp}>
          <kbd>?</kbd>all keys
        </button>
      </span>
    </footer>
  );
}
