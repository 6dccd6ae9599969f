import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Answer, Asker } from '#console/live/asker.ts';
import { ApiProblem } from '#console/live/client.ts';
import type { Phase } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import { type Lag, lagsIn } from '#console/model/query/lags.ts';
import { type SentQuery, sentQuery } from '#console/model/query/query.ts';
import { startedQuestion } from '#console/model/query/ready-queries.ts';
import { placeKey, routeText } from '#console/model/routes.ts';
import { held, onlyNamespace, wecs } from '#console/page/state/state.ts';
import { OutsideText } from '../parts/outside-text.tsx';
import { Head } from '../parts/small.tsx';
import { MAX_PLACED } from './wec-rows.ts';

const AGAIN_MS = 5_000;
const MAX_LINES = 5;

interface Asked {
  readonly sent: SentQuery;
}

/** The question which objects of a WEC are behind the WDS. */
function questionOf(wec: string): Asked | undefined {
  const about = { resource: '', namespace: onlyNamespace ?? '', name: '' };
  const query = startedQuestion({ about, ready: 'behind', only: wec })?.query;
  const sent = query && sentQuery(query);
  return sent === undefined || 'message' in sent ? undefined : { sent };
}

/** Whether a question about one WEC, which the API answers by reading what all WECs say, is too much to be asked again and again. */
function isTooMuch(ownRows: number): boolean {
  const all = [...wecs.shown.value.values()];
  return all.reduce((sum, { objects = ownRows }) => sum + objects, 0) > MAX_PLACED;
}

type Behind =
  | { readonly type: 'asking' | 'too-much' }
  | { readonly type: 'told'; readonly lags: readonly Lag[]; readonly isPart: boolean }
  | { readonly type: 'failed'; readonly message: string };

function behindIn(answer: Answer<Asked> | undefined, error: Error | undefined): Behind {
  // If the API does not answer at all, the banner says so.
  if (error instanceof ApiProblem) return { type: 'failed', message: error.message };
  if (answer === undefined) return { type: 'asking' };
  const { result } = answer;
  return { type: 'told', lags: lagsIn(result), isPart: result.next !== undefined };
}

/** While it is not known how many objects the WECs have, nothing is asked. */
function withoutWecs(phase: Phase): Behind {
  return phase.type === 'refused'
    ? { type: 'failed', message: phase.error.message }
    : { type: 'asking' };
}

/** Asks again and again: if the WDS has a newer generation, no WEC tells of that. */
function useBehind(wec: string, ownRows: number): Behind {
  const asker = useMemo(() => new Asker<Asked>(), [wec]);
  const asked = useMemo(() => questionOf(wec), [wec]);
  const isLeftOut = useSignal(false);
  isLeftOut.value = isTooMuch(ownRows) || !wecs.isRead.value;
  useEffect(() => {
    const ask = (): void => {
      const isWatched = document.visibilityState !== 'hidden' && !held.peek();
      if (asked !== undefined && isWatched && !isLeftOut.peek() && !asker.isBusy)
        void asker.again(asked);
    };
    const stop = isLeftOut.subscribe(ask);
    const timer = setInterval(ask, AGAIN_MS);
    return () => {
      stop();
      clearInterval(timer);
      asker.cancel();
    };
  }, [asker]);
  if (!wecs.isRead.value) return withoutWecs(wecs.phase.value);
  if (isLeftOut.value) return { type: 'too-much' };
  const { answer, problem } = asker.state.value;
  return behindIn(answer, problem?.error);
}

function Lags({ behind }: { readonly behind: Behind & { readonly type: 'told' } }) {
  const { lags, isPart } = behind;
  if (lags.length === 0) return <p class="note">No object is from an older generation.</p>;
  return (
    <>
      <div class="tb small">
        {lags.slice(0, MAX_LINES).map(({ place, has, wanted }) => (
          <a
            class="tr line"
            key={placeKey(place)}
            href={routeText({ screen: 'workload', workload: place })}
          >
            <span class="clip">
              <OutsideText
                text={place.namespace === '' ? place.name : `${place.namespace}/${place.name}`}
                max={120}
              />
            </span>
            <span class="mid">
              {countText(has)} of <b>{countText(wanted)}</b>
            </span>
          </a>
        ))}
      </div>
      {lags.length > MAX_LINES && (
        <p class="note">
          and {countText(lags.length - MAX_LINES)} {isPart ? 'or more' : 'more'}
        </p>
      )}
    </>
  );
}

/** The objects of a WEC that were made from an older generation than the WDS has. */
export function WecBehind({ wec, ownRows }: { readonly wec: string; readonly ownRows: number }) {
  const behind = useBehind(wec, ownRows);
  return (
    <section aria-label="Behind the WDS">
      <Head title="Behind the WDS" note="objects" right="generation" />
      {behind.type === 'asking' && <p class="note late">Asking…</p>}
      {behind.type === 'told' && <Lags behind={behind} />}
      {behind.type === 'failed' && (
        <p class="note">
          Left out: <OutsideText text={behind.message} max={300} />
        </p>
      )}
      {behind.type === 'too-much' && (
        <p class="note">
          Left out: WECs say too much to be asked again and again.{' '}
          <a class="ul" href={routeText({ screen: 'query', ready: 'behind', only: wec })}>
            Ask which are behind
          </a>
        </p>
      )}
    </section>
  );
}
