import { signal } from '@preact/signals';
import { countText } from '#console/model/age.ts';
import { routeText } from '#console/model/routes.ts';
import { type Hits, search } from '#console/model/search.ts';
import { readExplanations, wecs, workloads } from '#console/page/state/state.ts';
import { FAMILY_WORDS, VERDICTS } from '#shared/core/explanation/shown-verdict.ts';
import { OutsideText } from './outside-text.tsx';
import { Age } from './small.tsx';
import { Shape } from './verdict-mark.tsx';

const text = signal('');
const isOpen = signal(false);
/** Which hit the Enter key opens. */
const chosen = signal(0);

/** A thing that was found. */
interface Hit {
  readonly href: string;
  readonly group: string;
  readonly shape?: Parameters<typeof Shape>[0]['verdict'];
  readonly name: string;
  readonly note: preact.ComponentChildren;
}

function counted(count: number, one: string): string {
  return `${countText(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** A label leads to the objects that have it, and to what the WECs that have it say. */
function labelHits(label: Hits['label']): readonly Hit[] {
  if (label === undefined) return [];
  const { text: name } = label;
  const hit = (href: string, note: string): Hit => ({ href, group: 'Labels', name, note });
  const ofWecs = routeText({ screen: 'query', ready: 'oldest', only: name });
  return [
    ...(label.workloads > 0 || label.wecs === 0
      ? [hit(routeText({ screen: 'overview', label: name }), counted(label.workloads, 'object'))]
      : []),
    ...(label.wecs > 0 ? [hit(ofWecs, `what ${counted(label.wecs, 'WEC')} say`)] : []),
  ];
}

function hitsOf(asked: string): readonly Hit[] {
  const all = [...wecs.shown.value.values()];
  const found = search(asked, { workloads: workloads.value, wecs: all });
  return [
    ...found.verdicts.map(({ verdict, count }) => ({
      href: routeText({ screen: 'overview', verdict }),
      group: 'Verdicts',
      shape: verdict,
      name: VERDICTS[verdict].word,
      note: `${counted(count, 'object')} ${FAMILY_WORDS[VERDICTS[verdict].family]}`,
    })),
    ...found.workloads.map(({ place, kind, verdict }) => ({
      href: routeText({ screen: 'workload', workload: place }),
      group: 'Objects',
      shape: verdict,
      name: `${kind.toLowerCase()}/${place.name}`,
      note: <OutsideText text={place.namespace} />,
    })),
    ...found.wecs.map(({ metadata: { name }, silentSince, lastContact }) => ({
      href: routeText({ screen: 'wec', wec: name }),
      group: 'WECs',
      shape: silentSince === undefined ? ('Healthy' as const) : ('Silent' as const),
      name,
      note: <Age time={lastContact} />,
    })),
    ...labelHits(found.label),
  ];
}

function close(): void {
  isOpen.value = false;
  chosen.value = 0;
}

function go(href: string): void {
  location.hash = href;
  text.value = '';
  close();
}

function HitLink({
  hit,
  index,
  isFirst,
}: {
  readonly hit: Hit;
  readonly index: number;
  readonly isFirst: boolean;
}) {
  const { href, group, shape, name, note } = hit;
  return (
    <>
      {isFirst && (
        <li class="g" role="presentation">
          {group}
        </li>
      )}
      <li
        role="option"
        id={`hit-${index}`}
        aria-selected={chosen.value === index}
        class={chosen.value === index ? 'on' : ''}
        onMouseDown={(event) => {
          event.preventDefault();
          go(href);
        }}
      >
        {shape === undefined ? <span /> : <Shape verdict={shape} />}
        <span class="clip">
          <OutsideText text={name} />
        </span>
        <span class="dim">{note}</span>
      </li>
    </>
  );
}

function onKey(event: KeyboardEvent, hits: readonly Hit[]): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    chosen.value = Math.max(0, Math.min(hits.length - 1, chosen.value + step));
  } else if (event.key === 'Enter') {
    const hit = hits[chosen.value];
    if (hit === undefined) return;
    go(hit.href);
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
  } else if (event.key === 'Escape') close();
}

/** The search for objects, WECs, labels and verdicts. */
export function SearchBox() {
  const hits = isOpen.value ? hitsOf(text.value) : [];
  const isShown = isOpen.value && text.value.trim() !== '';
  return (
    <search class="find">
      <svg
        viewBox="0 0 14 14"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        aria-hidden="true"
      >
        <circle cx="6" cy="6" r="4.2" />
        <path d="m9.2 9.2 3.6 3.6" />
      </svg>
      <input
        id="find"
        role="combobox"
        aria-label="Search"
        aria-expanded={isShown}
        aria-controls="hits"
        aria-autocomplete="list"
        {...(isShown && hits.length > 0 ? { 'aria-activedescendant': `hit-${chosen.value}` } : {})}
        placeholder="deployment/web, a WEC, region=eu, degraded"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
          isOpen.value = true;
        }}
        onFocus={() => {
          readExplanations();
          isOpen.value = true;
        }}
        onBlur={close}
        onKeyDown={(event) => onKey(event, hits)}
      />
      <kbd aria-hidden="true">/</kbd>
      <ul class="hits" id="hits" role="listbox" aria-label="Found" hidden={!isShown}>
        {hits.map((hit, index) => (
          <HitLink
            key={hit.href}
            hit={hit}
            index={index}
            isFirst={hits[index - 1]?.group !== hit.group}
          />
        ))}
        {hits.length === 0 && (
          <li class="g" role="option" aria-selected="false" aria-disabled="true">
            Nothing has this name, kind, label or verdict.
          </li>
        )}
      </ul>
    </search>
  );
}
