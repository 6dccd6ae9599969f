import { type JsonValue, textAt } from '#shared/core/json.ts';
import { wecStatusName } from '#shared/core/status-api/status-name.ts';
import type { ApiClient } from './api-client.ts';
import { LongText } from './outside-text.tsx';
import { prettyJson } from './pretty-json.ts';
import { ProblemError } from './problem.ts';
import type { ShownObject } from './shown-object.ts';

/** Whose details are shown. */
export interface DetailsOf {
  readonly client: ApiClient;
  readonly object: ShownObject;
  /** The name of the object's resource, such as `deployments`. */
  readonly resource: string;
}

type Details = { readonly status: JsonValue } | { readonly message: string };

async function readDetails(of: DetailsOf, wec: string, signal: AbortSignal): Promise<Details> {
  const { client, object, resource } = of;
  const { group, namespace, name } = object;
  const request = {
    namespace,
    resource: namespace === '' ? 'clusterwecstatuses' : 'wecstatuses',
    name: wecStatusName({ workload: { group, resource, namespace, name }, wec }),
  };
  try {
    const status = await client.get(request, signal);
    return status === undefined
      ? { message: 'No Binding sends the object to this WEC any more.' }
      : { status };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { message: error.problem.message };
  }
}

function Facts({ status }: { status: JsonValue }) {
  const facts = [
    ['Message', textAt(status, 'health', 'message')],
    ['Status changed', textAt(status, 'lastUpdate')],
    ['Last contact', textAt(status, 'lastContact')],
  ].filter(([, value]) => value !== '');
  return (
    <dl>
      {facts.map(([label = '', value = '']) => (
        <React.Fragment key={label}>
          <dt>{label}</dt>
          <dd>
            <LongText text={value} />
          </dd>
        </React.Fragment>
      ))}
    </dl>
  );
}

/** What one WEC reports, whole. It is read when it is asked for. */
export function WecDetails({ of, wec }: { of: DetailsOf; wec: string }) {
  const [details, setDetails] = React.useState<Details>();
  React.useEffect(() => {
    const gone = new AbortController();
    readDetails(of, wec, gone.signal).then(setDetails, (error) => {
      if (!gone.signal.aborted) throw error;
    });
    return () => gone.abort();
  }, [of, wec]);
  if (details === undefined) return <p>Reading…</p>;
  if ('message' in details) return <p role="alert">{details.message}</p>;
  return (
    <>
      <Facts status={details.status} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached with the keyboard. */}
      <section className="sf-raw" tabIndex={0} aria-label="The status as the WEC says it">
        <pre>
          <bdi>{prettyJson(details.status, 'status')}</bdi>
        </pre>
      </section>
    </>
  );
}
