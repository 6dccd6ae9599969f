import type { ComponentChildren } from 'preact';
import { countText } from '#console/model/age.ts';
import {
  behind,
  mostUnhealthy,
  type Share,
  silentWecs,
  type WorkloadRow,
} from '#console/model/overview.ts';
import { routeText } from '#console/model/routes.ts';
import { wecOrder, wecs } from '#console/page/state/state.ts';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { Age, Head } from '../parts/small.tsx';
import { Shape } from '../parts/verdict-mark.tsx';
import type { WecRows } from './wec-rows.ts';

const MAX_LINES = 5;

function wecHref(wec: string): string {
  return routeText({ screen: 'wec', wec });
}

/** A line of an aside that leads somewhere. */
function Line({
  href,
  children,
}: {
  readonly href?: string;
  readonly children: ComponentChildren;
}) {
  if (href === undefined) return <div class="tr">{children}</div>;
  return (
    <a class="tr line" href={href}>
      {children}
    </a>
  );
}

function More({ count }: { readonly count: number }) {
  return count > MAX_LINES ? <p class="note">and {countText(count - MAX_LINES)} more</p> : null;
}

function Silent() {
  const all = [...wecs.shown.value.values()];
  const silent = silentWecs(all);
  if (silent.length === 0) return null;
  return (
    <section>
      <Head
        title="Silent WECs"
        note={`${countText(silent.length)} of ${countText(all.length)}`}
        right="last contact"
      />
      <div class="tb small">
        {silent.slice(0, MAX_LINES).map(({ name, lastContact }) => (
          <Line key={name} href={routeText({ screen: 'wec', wec: name })}>
            <span class="v f-absent">
              <Shape verdict="Silent" />
              <Name text={name} />
            </span>
            <span class="mid">
              <Age time={lastContact} /> ago
            </span>
          </Line>
        ))}
      </div>
      <More count={silent.length} />
      <p class="note">What they last said still counts.</p>
    </section>
  );
}

function Shares({
  title,
  note,
  right,
  shares,
  hrefOf,
}: {
  readonly title: string;
  readonly note: string;
  readonly right: string;
  readonly shares: readonly Share[];
  readonly hrefOf: (name: string) => string | undefined;
}) {
  if (shares.length === 0) return null;
  return (
    <section>
      <Head title={title} note={note} right={right} />
      <div class="tb small">
        {shares.slice(0, MAX_LINES).map(({ name, count, of }) => {
          const href = hrefOf(name);
          return (
            <Line key={name} {...(href === undefined ? {} : { href })}>
              <Name text={name} />
              <span>
                <b>{countText(count)}</b> <span class="dim">of {countText(of)}</span>
              </span>
            </Line>
          );
        })}
      </div>
      <More count={shares.length} />
    </section>
  );
}

function Refused({ rows }: { readonly rows: readonly WorkloadRow[] }) {
  const refused = rows.filter((row) => row.refused.length > 0);
  if (refused.length === 0) return null;
  return (
    <section>
      <Head title="Refused" note={countText(refused.length)} right="by the WDS" />
      {refused.slice(0, MAX_LINES).map(({ key, place, refused: [reason = ''], since }) => (
        <div class="tb small" key={key}>
          <Line href={routeText({ screen: 'why', workload: place })}>
            <span class="v f-bad">
              <Shape verdict="Refused" />
              <span class="clip">
                <OutsideText text={`${place.namespace}/${place.name}`} />
              </span>
            </span>
            <span class="mid">
              <Age time={since} />
            </span>
          </Line>
          <p class="note">
            <OutsideText text={reason} max={400} />
          </p>
        </div>
      ))}
      <More count={refused.length} />
    </section>
  );
}

/** Where generations lag. Of too many rows it is not counted, but can be asked. */
function Behind({ wecRows: { rows = [], isTooMany } }: { readonly wecRows: WecRows }) {
  const order = wecOrder.value;
  const isGrouped = order.groups.length > 0;
  const note = isGrouped ? 'by region' : 'WECs';
  if (isTooMany)
    return (
      <section>
        <Head title="Behind the WDS" note={note} right="rows" />
        <p class="note">
          Left out: WECs say too much to be read here.{' '}
          <a class="ul" href={routeText({ screen: 'query', ready: 'behind-by-region' })}>
            Ask which are behind
          </a>
        </p>
      </section>
    );
  return (
    <Shares
      title="Behind the WDS"
      note={note}
      right="rows"
      shares={behind(rows, order)}
      hrefOf={isGrouped ? () => undefined : wecHref}
    />
  );
}

/** Silence, generations that lag, WECs with much amiss, and what the WDS has refused. */
export function OverviewAside({
  rows,
  wecRows,
}: {
  readonly rows: readonly WorkloadRow[];
  readonly wecRows: WecRows;
}) {
  return (
    <aside class="col">
      <Silent />
      <Behind wecRows={wecRows} />
      <Shares
        title="Most unhealthy"
        note="WECs"
        right="objects"
        shares={mostUnhealthy([...wecs.shown.value.values()])}
        hrefOf={wecHref}
      />
      <Refused rows={rows} />
    </aside>
  );
}
