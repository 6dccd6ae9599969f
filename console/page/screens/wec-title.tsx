import { countText } from '#console/model/age.ts';
import type { WecObject } from '#console/model/api-objects.ts';
import { routeText } from '#console/model/routes.ts';
import { plainShown } from '#console/model/shown-text.ts';
import type { WecRow } from '#console/model/wec-row.ts';
import { wecs } from '#console/page/state/state.ts';
import { isAmiss, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { OutsideText } from '../parts/outside-text.tsx';
import { Age } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';

/** Whether a WEC is heard of, and the word for it. Undefined until that is read. */
function contactOf(
  wec: WecObject | undefined,
): { readonly verdict: Verdict; readonly word?: string } | undefined {
  if (wec?.silentSince !== undefined) return { verdict: 'Silent' };
  if (wec !== undefined) return { verdict: 'Healthy', word: 'In contact' };
  if (wecs.isRead.value) return { verdict: 'NotReported', word: 'Never heard of' };
  if (wecs.phase.value.type === 'refused') return { verdict: 'Unknown', word: 'Contact not known' };
  return undefined;
}

/** How many objects are not as asked. */
function askedText(rows: readonly WecRow[], isRead: boolean): string {
  if (!isRead) return 'Reading what it says…';
  if (rows.length === 0) return 'It says nothing about any object.';
  const amiss = rows.filter(({ verdict }) => isAmiss(verdict) && verdict !== 'Silent').length;
  return amiss === 0
    ? `${rows.length === 1 ? 'Its one object is' : `All ${countText(rows.length)} objects are`} as asked.`
    : `${countText(amiss)} of ${countText(rows.length)} ${rows.length === 1 ? 'object' : 'objects'} ${amiss === 1 ? 'is' : 'are'} not as asked.`;
}

function Message({
  wec,
  verdict,
  asked,
}: {
  readonly wec: WecObject | undefined;
  readonly verdict: Verdict | undefined;
  readonly asked: string;
}) {
  switch (verdict) {
    case 'Silent':
      return (
        <>
          No heartbeat for <Age time={wec?.lastContact} />. All that stands here is what it last
          said; it still counts.
        </>
      );
    case 'NotReported':
      return <>No heartbeat has come from it. {asked}</>;
    case 'Unknown':
      return <>You may not read the WECs themselves. {asked}</>;
    case 'Healthy':
      return (
        <>
          Last contact <Age time={wec?.lastContact} /> ago. {asked}
        </>
      );
    default:
      return <>{asked}</>;
  }
}

/** The name of a WEC, when it was last heard of, and how many of its objects are not as asked. */
export function WecTitle({
  name,
  wec,
  rows,
  isRead,
}: {
  readonly name: string;
  readonly wec: WecObject | undefined;
  readonly rows: readonly WecRow[];
  /** Whether these are all rows. */
  readonly isRead: boolean;
}) {
  const contact = contactOf(wec);
  return (
    <div class="title">
      <div class="obj">
        <span class="kind">WEC</span>
        <h1 class="clip" title={plainShown(name)}>
          <OutsideText text={name} />
        </h1>
        {contact !== undefined && <VerdictMark {...contact} />}
        <a class="btn" href={routeText({ screen: 'query', only: name })}>
          Ask about this
        </a>
        <p class="msg">
          <Message wec={wec} verdict={contact?.verdict} asked={askedText(rows, isRead)} />
        </p>
      </div>
    </div>
  );
}
