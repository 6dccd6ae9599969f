import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { collectorName, collectorYaml, commandText } from '#console/model/query/collector-text.ts';
import { EMPTY, hasColumns, isSame } from '#console/model/query/query.ts';
import { askedAbout, readyQueries } from '#console/model/query/ready-queries.ts';
import { type Route, routeText } from '#console/model/routes.ts';
import { useKeysOf } from '#console/page/parts/keys.ts';
import { readExplanations, titled } from '#console/page/state/state.ts';
import { Blank } from '../parts/blank.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { QueryEditor } from './query-editor.tsx';
import { presentResources } from './query-known.ts';
import { Price } from './query-price.tsx';
import { QueryResultView } from './query-result.tsx';
import {
  asking,
  cancel,
  isBroken,
  keepAsking,
  openAddress,
  query,
  run,
  show,
} from './query-state.ts';

function Ready() {
  const present = presentResources.value;
  return (
    <nav class="ready" aria-label="Ready-made questions">
      {readyQueries(present).map((ready) => {
        const asked = askedAbout(ready, query.value, present);
        return (
          <button
            type="button"
            key={ready.id}
            {...(isSame(asked, query.value) ? { 'aria-current': true as const } : {})}
            onClick={() => show(asked, ready.sort)}
          >
            {ready.title}
          </button>
        );
      })}
    </nav>
  );
}

/** What was done last: it is said, and then forgotten. */
function useSaid() {
  const said = useSignal('');
  useEffect(() => {
    if (said.value === '') return undefined;
    const timer = setTimeout(() => {
      said.value = '';
    }, 4_000);
    return () => clearTimeout(timer);
  }, [said.value]);
  return said;
}

async function copied(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return `${what} copied`;
  } catch {
    return `The browser does not let this page copy: select the ${what.toLowerCase()} and copy it`;
  }
}

/** Saves a text as a file on the machine of the browser. */
function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function Actions() {
  const said = useSaid();
  const isAsked = hasColumns(query.value);
  const { isSlow } = asking.value;
  const say = async (text: string, what: string): Promise<void> => {
    said.value = await copied(text, what);
  };
  const copyCollector = (): void => {
    if (hasColumns(query.peek())) void say(collectorYaml(query.peek()), 'StatusCollector');
  };
  useKeysOf({ y: copyCollector });
  return (
    <div class="filters">
      <button type="button" class="btn pri" onClick={isSlow ? cancel : run}>
        {isSlow ? 'Cancel' : 'Run'} <kbd aria-hidden="true">Ctrl ⏎</kbd>
      </button>
      <button type="button" class="btn" disabled={!isAsked} onClick={copyCollector}>
        Copy StatusCollector <kbd aria-hidden="true">y</kbd>
      </button>
      <button
        type="button"
        class="btn"
        disabled={!isAsked}
        onClick={() => save(`${collectorName(query.value)}.yaml`, collectorYaml(query.value))}
      >
        Save
      </button>
      <button type="button" class="btn" onClick={() => void say(location.href, 'Address')}>
        Copy link
      </button>
      <span class="r" role="status">
        {said.value === '' ? 'runs as you type, when it is valid' : said.value}
      </span>
    </div>
  );
}

function Texts() {
  if (!hasColumns(query.value)) return null;
  return (
    <>
      <details open>
        <summary class="mid">StatusCollector, as it would be saved</summary>
        <Text label="StatusCollector" text={collectorYaml(query.value)} />
        <p class="note">
          A StatusCollector computes this for each object of a BindingPolicy that names it. Which
          objects are asked about is not a part of it.
        </p>
      </details>
      <details>
        <summary class="mid">The same on a command line</summary>
        <Text label="Command" text={commandText(query.value)} />
      </details>
    </>
  );
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // A long text scrolls, which needs the focus (WCAG 2.1.1).
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div class="raw" role="region" tabIndex={0} aria-label={label}>
      {text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, index) => (
          // Lines have no name but their place.
          <span key={index}>
            <OutsideText text={line} />
          </span>
        ))}
    </div>
  );
}

/** Runs the question wherever the focus is, also while one types. */
function useRunKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function Broken() {
  return (
    <Blank
      kind="error"
      isPage
      title="This address holds no question"
      text="It may have been cut when it was copied. Ask for the whole address, or begin anew."
    >
      <a class="btn" href={routeText({ screen: 'query' })} onClick={() => show(EMPTY)}>
        Begin anew
      </a>
    </Blank>
  );
}

/** A StatusCollector, tried on what WECs report now. */
export function QueryScreen({ asked }: { readonly asked: Route & { screen: 'query' } }) {
  useEffect(() => titled(() => 'Query'), []);
  useEffect(() => keepAsking(), []);
  useEffect(readExplanations, []);
  useEffect(() => openAddress(asked), [asked]);
  useRunKey();
  if (isBroken.value) return <Broken />;
  return (
    <div class="split qs">
      <section class="col" aria-label="Question">
        <div>
          <div class="head">
            <h1>Ask the rows</h1>
            <span class="n">a StatusCollector, tried on live rows</span>
          </div>
          <Ready />
        </div>
        <QueryEditor />
        <Price />
        <Actions />
      </section>
      <section class="col" aria-label="Answer">
        <QueryResultView />
        <Texts />
      </section>
    </div>
  );
}
