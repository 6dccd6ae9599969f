import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { API, ApiProblem, getObject } from '#console/live/client.ts';
import type { WecStatusObject } from '#console/model/api-objects.ts';
import { placeKey, type WorkloadPlace } from '#console/model/routes.ts';

/** The path below which what WECs report about an object is listed. */
export function statusesPath({ namespace }: WorkloadPlace): string {
  return namespace === ''
    ? `${API}/clusterwecstatuses`
    : `${API}/namespaces/${encodeURIComponent(namespace)}/wecstatuses`;
}

/** The raw status of a WEC, when it is asked for. */
export function useRaw(workload: WorkloadPlace, wec: string | undefined) {
  const found = useSignal<WecStatusObject | string | undefined>(undefined);
  useEffect(() => {
    found.value = undefined;
    if (wec === undefined) return undefined;
    const stopping = new AbortController();
    const name = `${workload.resource}:${workload.name}:${wec.replaceAll(':', '~')}`;
    const path = `${statusesPath(workload)}/${encodeURIComponent(name)}`;
    getObject<WecStatusObject>(path, {}, stopping.signal).then(
      (status) => {
        found.value = status;
      },
      (error: unknown) => {
        if (stopping.signal.aborted) return;
        found.value = error instanceof ApiProblem ? error.message : 'the API does not answer';
      },
    );
    return () => stopping.abort();
  }, [placeKey(workload), wec]);
  return found.value;
}
