import { ageText } from '#console/model/age.ts';
import { routeText } from '#console/model/routes.ts';
import { nowMs, openedMs, type SeenChange, seen } from '#console/page/state/state.ts';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { Cell } from '../parts/row.tsx';
import { Age, Head } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';

const MAX_SHOWN = 8;

function OneChange({ change: { atMs, row } }: { readonly change: SeenChange }) {
  const { place, wec, verdict, message } = row;
  return (
    <div class="tr" role="row">
      <Cell of="dim">
        <Age time={new Date(atMs).toISOString()} />
      </Cell>
      <Cell of="c-o clip">
        <a href={routeText({ screen: 'workload', workload: place })}>
          <OutsideText
            text={place.namespace === '' ? place.name : `${place.namespace}/${place.name}`}
          />
        </a>
      </Cell>
      <Cell of="clip">
        <a href={routeText({ screen: 'wec', wec })}>
          <Name text={wec} />
        </a>
      </Cell>
      <Cell of="clip mid">
        <VerdictMark verdict={verdict} />
        {'\u2002'}
        <span class="dim">
          <OutsideText text={message} max={200} />
        </span>
      </Cell>
    </div>
  );
}

/** Why nothing is shown. */
function emptyText(isFollowed: boolean): string {
  return isFollowed
    ? 'Nothing has changed.'
    : 'Changes of single WECs are left out: they are too many to be read again and again, and this window has no watch.';
}

/** What has changed since the page was opened: Starfold keeps no history. */
export function Changes({ isFollowed }: { readonly isFollowed: boolean }) {
  const shown = seen.value.slice(0, MAX_SHOWN);
  const openFor = ageText(Math.max(0, (nowMs.value - openedMs) / 1000));
  return (
    <section aria-label="Changes">
      <Head
        title="Since you opened this page"
        note={openFor}
        right={<span class="hint">Starfold keeps no history</span>}
      />
      {shown.length === 0 ? (
        <p class="note">{emptyText(isFollowed)}</p>
      ) : (
        <div class="tb feed" role="table" aria-label="Changes, newest first">
          {shown.map((change) => (
            <OneChange key={change.id} change={change} />
          ))}
        </div>
      )}
    </section>
  );
}
