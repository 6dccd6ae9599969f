import { countText } from '#console/model/age.ts';
import type { WecObject } from '#console/model/api-objects.ts';
import { forwarderVersions } from '#console/model/overview.ts';
import { wecs } from '#console/page/state/state.ts';
import { OutsideText } from '../parts/outside-text.tsx';
import { Age, Head, NOTHING } from '../parts/small.tsx';
import { WecBehind } from './wec-behind.tsx';

const MAX_VERSIONS = 3;

/** Which versions run elsewhere, so that an old one is seen. */
function Versions() {
  const versions = forwarderVersions([...wecs.shown.value.values()]);
  if (versions.length === 0) return null;
  return (
    <p class="note">
      {versions.slice(0, MAX_VERSIONS).map(({ name, count }, index) => (
        <>
          {index > 0 && ', '}
          <OutsideText text={name} max={60} /> {index === 0 ? 'runs in ' : 'in '}
          {countText(count)}
          {index === 0 && (count === 1 ? ' WEC' : ' WECs')}
        </>
      ))}
      {versions.length > MAX_VERSIONS && ', and others'}.
    </p>
  );
}

/** What is known of a WEC itself. */
export function WecFacts({
  name,
  wec,
  ownRows,
}: {
  readonly name: string;
  readonly wec: WecObject | undefined;
  /** How many objects it says something about. */
  readonly ownRows: number;
}) {
  const labels = Object.entries(wec?.metadata.labels ?? {});
  return (
    <aside class="col">
      <section>
        <Head title="Contact" />
        <div class="tb small own">
          <div class="tr">
            <span class="mid">Last contact</span>
            <Age time={wec?.lastContact} />
          </div>
          <div class="tr">
            <span class="mid">Silent since</span>
            <Age time={wec?.silentSince} />
          </div>
          <div class="tr">
            <span class="mid">Objects</span>
            <span>{wec?.objects ?? NOTHING}</span>
          </div>
          <div class="tr">
            <span class="mid">Unhealthy objects</span>
            <span>{wec?.unhealthyObjects ?? NOTHING}</span>
          </div>
        </div>
      </section>
      <WecBehind key={name} wec={name} ownRows={ownRows} />
      <section>
        <Head title="Forwarder" />
        <div class="tb small own">
          <div class="tr">
            <span class="mid">Version</span>
            <span>
              {wec?.forwarderVersion === undefined ? (
                NOTHING
              ) : (
                <OutsideText text={wec.forwarderVersion} max={60} />
              )}
            </span>
          </div>
        </div>
        <Versions />
      </section>
      {labels.length > 0 && (
        <section>
          <Head title="Labels" />
          <p class="lbls">
            {labels.map(([key, value]) => (
              <span class="tag mono" key={key}>
                <OutsideText text={`${key}=${value}`} max={140} />
              </span>
            ))}
          </p>
        </section>
      )}
    </aside>
  );
}
