import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listPages } from '#console/live/client.ts';
import { countText } from '#console/model/age.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { placeKey, type WorkloadPlace } from '#console/model/routes.ts';
import { type FieldRow, valueGroups } from '#console/model/why.ts';
import { selectorOf } from '#console/model/workload.ts';
import { Fold } from '../parts/fold.tsx';
import { OutsideText } from '../parts/outside-text.tsx';
import { RawStatus } from '../parts/raw-status.tsx';
import { Age, Head } from '../parts/small.tsx';
import { statusesPath, useRaw } from './use-raw.ts';

/** More WECs are not read. Those that decide are known without that. */
const MAX_WHOLE = 1_000;

/** The documentation of the rules of a kind, which is served with the page. The fragment scrolls to its section. */
function rulesHref(kind: string): string {
  return `/rules.txt#:~:text=${encodeURIComponent(`### ${kind} (`)}`;
}

interface Said {
  readonly statuses: readonly Pick<WecStatusObject, 'wec' | 'status'>[];
  /** Whether there are more than were read. */
  readonly isPart: boolean;
}

/** Reads what WECs say now, for the picture. It is read anew for each object, not for each field. */
function useStatuses(workload: WorkloadPlace): Said | undefined {
  const found = useSignal<Said | undefined>(undefined);
  useEffect(() => {
    const stopping = new AbortController();
    const read = async (): Promise<void> => {
      const statuses: Pick<WecStatusObject, 'wec' | 'status'>[] = [];
      const query = { fieldSelector: selectorOf(workload) };
      for await (const page of listPages<WecStatusObject>(
        statusesPath(workload),
        query,
        stopping.signal,
      )) {
        statuses.push(...page.items);
        found.value = { statuses, isPart: statuses.length >= MAX_WHOLE };
        if (statuses.length >= MAX_WHOLE) return;
      }
      found.value = { statuses: [...statuses], isPart: false };
    };
    // The table beside says if the API does not answer.
    read().catch(() => undefined);
    return () => stopping.abort();
  }, [placeKey(workload)]);
  return found.value;
}

/** The fold of one field, its rule, and the raw status of a WEC. */
export function WhyAside({
  workload,
  kind,
  row,
  without,
}: {
  readonly workload: WorkloadPlace;
  readonly kind: string;
  readonly row: FieldRow;
  readonly without: string | undefined;
}) {
  const said = useStatuses(workload);
  const chosen = useSignal<string | undefined>(undefined);
  const groups = valueGroups(said?.statuses ?? [], row);
  const decider = row.decidedBy[0]?.wec ?? groups.find(({ isDeciding }) => isDeciding)?.wecs[0];
  const wec = chosen.value ?? decider ?? said?.statuses[0]?.wec;
  const raw = useRaw(workload, wec);
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
