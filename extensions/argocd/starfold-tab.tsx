import { type JsonValue, textAt } from '#shared/core/json.ts';
import { ApiClient } from './api-client.ts';
import { BoundView } from './bound-view.tsx';
import type { TabProps } from './page.d.ts';
import type { Problem } from './problem.ts';
import { readSettings, type Settings } from './settings.ts';
import { applicationHeaders, type ShownObject, shownObject } from './shown-object.ts';
import { STYLES } from './styles.ts';
import { useView, type Watched } from './use-view.tsx';
import type { View } from './view.ts';

function timeText(ms: number): string {
  return new Date(ms).toLocaleTimeString();
}

function ProblemBanner(props: { problem: Problem; readAt: number | undefined; onTry: () => void }) {
  const { problem, readAt, onTry } = props;
  const age = readAt === undefined ? '' : ` What is shown was read at ${timeText(readAt)}.`;
  return (
    <div role="alert" className="sf-banner">
      <span>
        {problem.message}
        {age}
      </span>
      <button type="button" className="sf-button" onClick={onTry}>
        Try again
      </button>
    </div>
  );
}

function Content(props: { view: View; watched: Watched; settings: Settings }) {
  const { view, watched, settings } = props;
  const { reading, problem } = view;
  if (reading === undefined) return problem === undefined ? <p role="status">Reading…</p> : null;
  switch (reading.type) {
    case 'unbound':
      return (
        <p role="status" className="sf-say">
          No Binding sends this object to a WEC.
        </p>
      );
    case 'other-object':
      return (
        <p role="status" className="sf-say">
          Starfold knows another object of this name, created {reading.created}: the cluster of this
          application is not the WDS behind the extension, or the object has just been made anew.
        </p>
      );
    case 'bound':
      return <BoundView {...{ reading, watched, settings }} isPart={view.isPart} />;
  }
}

function ObjectTab(props: { watched: Watched; settings: Settings; revision: string }) {
  const { watched, settings, revision } = props;
  const [view, readNow] = useView(watched, revision);
  const { problem, readAt } = view;
  return (
    <>
      {problem !== undefined && <ProblemBanner {...{ problem, readAt }} onTry={readNow} />}
      <Content {...{ view, watched, settings }} />
    </>
  );
}

/** Values that stay the same object as long as they say the same, although Argo CD passes new ones. */
function useWatched(resource: JsonValue | undefined, application: JsonValue | undefined) {
  const object = JSON.stringify(shownObject(resource) ?? null);
  const headers = JSON.stringify(applicationHeaders(application));
  return React.useMemo(() => {
    // Both are what was written above.
    const shown = JSON.parse(object) as ShownObject | null;
    const settings = readSettings(window.starfoldSettings);
    const options = { settings, headers: JSON.parse(headers), base: document.baseURI };
    return shown && { settings, watched: { object: shown, client: new ApiClient(options) } };
  }, [object, headers]);
}

/** The tab of one object. */
export function StarfoldTab({ resource, application }: TabProps) {
  const found = useWatched(resource, application);
  const revision = textAt(resource, 'metadata', 'resourceVersion');
  return (
    <section className="starfold-tab" aria-label="What the WECs report">
      <style>{STYLES}</style>
      {found === null ? (
        <p role="status">Argo CD has not read the object, or the cluster does not have it.</p>
      ) : (
        <ObjectTab {...found} revision={revision} />
      )}
    </section>
  );
}
