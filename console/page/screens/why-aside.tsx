import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { listPages } from '#console/live/client.ts';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { placeKey, routeText, type WorkloadPlace } from '#console/model/routes.ts';
import type { WecRow } from '#console/model/wec-row.ts';
import { type FieldRow, type ShownDecider, valueGroups } from '#console/model/why.ts';
import { selectorOf } from '#console/model/workload.ts';
import { Fold } from '../parts/fold.tsx';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { RawStatus } from '../parts/raw-status.tsx';
import { Age, Head } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import { statusesPath, useRaw, versionOf } from './use-raw.ts';

/** More WECs are not read. Those that decide are known without that. */
const MAX_WHOLE = 1_000;

/** The documentation of the rules of a kind, which is served with the page. The fragment scrolls to its section. */
function rulesHref(kind: string): string {
  return `/rules.txt#:~:text=${encodeURIComponent(`### ${kind} (`)}`;
}

type RowFollower = Follower<WecStatusObject, WecRow> | undefined;

interface Said {
  readonly statuses: readonly Pick<WecStatusObject, 'wec' | 'status'>[];
  /** Whether there are more than were read. */
  readonly isPart: boolean;
}

/** While an object changes again and again, what WECs say about it is read so often. */
const AGAIN_MS = 1_000;

/** How many changes a follower has told of, and whether the API answers. */
function versionOfAll(follower: RowFollower): string {
  if (follower === undefined) return '';
  const { phase, changes, shown } = follower;
  return `${phase.value.type} ${Math.max(0, ...changes.value.values())} ${shown.value.size}`;
}

/** Reads what WECs say, as much as is shown: each time all that is read so far. */
async function* readStatuses(
  workload: WorkloadPlace,
  signal: AbortSignal,
): AsyncGenerator<Said & { readonly isWhole: boolean }> {
  let statuses: Said['statuses'] = [];
  const query = { fieldSelector: selectorOf(workload) };
  for await (const page of listPages<WecStatusObject>(statusesPath(workload), query, signal)) {
    statuses = [...statuses, ...page.items];
    const isPart = statuses.length >= MAX_WHOLE;
    yield { statuses, isPart, isWhole: isPart };
    if (isPart) return;
  }
  yield { statuses, isPart: false, isWhole: true };
}

/** Reads what WECs say now, for the picture: anew for each object and each change, not for each field. */
function useStatuses(workload: WorkloadPlace, version: string): Said | undefined {
  const found = useSignal<(Said & { readonly of: string }) | undefined>(undefined);
  const readMs = useRef(Number.NEGATIVE_INFINITY);
  const of = placeKey(workload);
  useEffect(() => {
    const stopping = new AbortController();
    const read = async (): Promise<void> => {
      // What was shown before stays until all is read again.
      for await (const said of readStatuses(workload, stopping.signal))
        if (said.isWhole || found.peek()?.of !== of) found.value = { of, ...said };
      readMs.current = performance.now();
    };
    const waitMs = Math.max(0, readMs.current + AGAIN_MS - performance.now());
    // The banner says if the API does not answer. When it does again, the version is another one.
    const timer = setTimeout(() => void read().catch(() => undefined), waitMs);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [of, version]);
  return found.value?.of === of ? found.value : undefined;
}

const MAX_DECIDERS = 5;

/** Who decides a field, and whether each of them is well. */
function Deciders({ deciders }: { readonly deciders: readonly ShownDecider[] }) {
  if (deciders.length === 0) return null;
  return (
    <section aria-label="Who decides">
      <Head title="Who decides" right="its verdict" />
      {deciders.slice(0, MAX_DECIDERS).map(({ wec, verdict, message }) => (
        <div class="tb small" key={wec}>
          <a class="tr line" href={routeText({ screen: 'wec', wec })}>
            <Name text={wec} />
            <VerdictMark verdict={verdict} />
          </a>
          {message !== '' && (
            <p class="note">
              <OutsideText text={message} max={300} />
            </p>
          )}
        </div>
      ))}
      {deciders.length > MAX_DECIDERS && (
        <p class="note">and {countText(deciders.length - MAX_DECIDERS)} more</p>
      )}
    </section>
  );
}

/** The fold of one field, its rule, who decides it, and the raw status of a WEC. */
export function WhyAside({
  workload,
  kind,
  row,
  deciders,
  without,
  follower,
}: {
  readonly workload: WorkloadPlace;
  readonly kind: string;
  readonly row: FieldRow;
  readonly deciders: readonly ShownDecider[];
  readonly without: string | undefined;
  /** Tells when a WEC says something else. */
  readonly follower: RowFollower;
}) {
  const said = useStatuses(workload, versionOfAll(follower));
  const chosen = useSignal<string | undefined>(undefined);
  const groups = valueGroups(said?.statuses ?? [], row);
  const decider = row.decidedBy[0]?.wec ?? groups.find(({ isDeciding }) => isDeciding)?.wecs[0];
  const wec = chosen.value ?? decider ?? said?.statuses[0]?.wec;
  const ofWec = [...(follower?.shown.value.values() ?? [])].find((one) => one.wec === wec);
  const raw = useRaw({ workload, wec, version: versionOf(ofWec, follower) });
  return (
    <aside class="insp">
      <section>
        <Head
          title={
            <code>
              <OutsideText text={row.path} />
            </code>
          }
          right={
            <a class="ul" href={rulesHref(kind)} target="_blank" rel="noreferrer">
              {row.documentation}
            </a>
          }
        />
        <Fold
          groups={groups}
          row={row}
          without={without}
          onChoose={(name) => {
            chosen.value = name;
          }}
        />
        <p class="note">
          <b>{row.rule}:</b>{' '}
          {row.departs ?? 'the value is the same if only the WECs named here are folded.'}
          {said?.isPart === true &&
            ` The picture has the WECs that decide, and the first ${countText(said.statuses.length)}.`}
        </p>
      </section>
      <Deciders deciders={deciders} />
      {wec !== undefined && (
        <section>
          <Head
            title="Raw status"
            note={<OutsideText text={wec} max={80} />}
            right={typeof raw === 'object' && <Age time={raw.lastUpdate} />}
          />
          <RawStatus raw={raw} field={row.path} />
        </section>
      )}
    </aside>
  );
}
