import type { WecObject } from '#console/model/api-objects.ts';
import { OutsideText } from '../parts/outside-text.tsx';
import { Age, Head, NOTHING } from '../parts/small.tsx';

/** What is known of a WEC itself. */
export function WecFacts({ wec }: { readonly wec: WecObject | undefined }) {
  const labels = Object.entries(wec?.metadata.labels ?? {});
  return (
    <aside class="col">
      <section>
        <Head title="Contact" />
        <div class="tb small">
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
      <section>
        <Head title="Forwarder" />
        <div class="tb small">
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
