import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { API, ApiProblem, getObject } from '#console/live/client.ts';
import type { Follower } from '#console/live/follower.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { placeKey, type WorkloadPlace } from '#console/model/routes.ts';
import type { WecRow } from '#console/model/wec-row.ts';

/** The path below which what WECs report about an object is listed. */
export function statusesPath({ namespace }: WorkloadPlace): string {
  return namespace === ''
    ? `${API}/clusterwecstatuses`
    : `${API}/namespaces/${encodeURIComponent(namespace)}/wecstatuses`;
}

type Raw = WecStatusObject | string | undefined;

/** Which raw status is shown, and what the page knows of its changes. */
export interface AskedRaw {
  readonly workload: WorkloadPlace;
  readonly wec: string | undefined;
  /** Another text when the WEC may say something else: it is read anew. */
  readonly version: string;
}

/** A text that is another one when what a WEC says has changed, and when the API answers again. */
export function versionOf(
  row: WecRow | undefined,
  follower: Follower<WecStatusObject, WecRow> | undefined,
): string {
  const { lastContact: _lastContact, ...said } = row ?? {};
  return `${follower?.phase.value.type} ${JSON.stringify(said)}`;
}

/** The raw status of a WEC. What was read stays while it is read anew, and while the API does not answer. */
export function useRaw({ workload, wec, version }: AskedRaw): Raw {
  const found = useSignal<{ readonly of: string; readonly raw: Raw }>({ of: '', raw: undefined });
  const of = `${placeKey(workload)} ${wec}`;
  useEffect(() => {
    if (wec === undefined) return undefined;
    const stopping = new AbortController();
    const name = `${workload.resource}:${workload.name}:${wec.replaceAll(':', '~')}`;
    const path = `${statusesPath(workload)}/${encodeURIComponent(name)}`;
    getObject<WecStatusObject>(path, {}, stopping.signal).then(
      (raw) => {
        found.value = { of, raw };
      },
      (error: unknown) => {
        if (stopping.signal.aborted) return;
        if (error instanceof ApiProblem) found.value = { of, raw: error.message };
        else if (found.peek().of !== of || typeof found.peek().raw !== 'object')
          found.value = { of, raw: 'the API does not answer' };
      },
    );
    return () => stopping.abort();
  }, [of, version]);
  return found.value.of === of ? found.value.raw : undefined;
}
