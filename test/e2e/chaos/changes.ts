import { setTimeout as delay } from 'node:timers/promises';
import type { JsonValue } from '#shared/core/json.ts';
import {
  type Answer,
  type Cluster,
  JSON_PATCH,
  MERGE_PATCH,
  pathOf,
  request,
} from '#test/e2e/clusters.ts';
import type { Random } from '#test/simulation/scheduler.ts';
import type { Subject } from './objects.ts';

/** Between two changes in a cluster. */
const PAUSE_MS = 20;

/** Changes that go on until they are stopped. */
export interface Changes {
  /** How many the API servers have taken. */
  count(): number;
  /** @throws Error when an API server has refused one as invalid. */
  stop(): Promise<void>;
}

interface Place {
  readonly cluster: Cluster;
  readonly subjects: readonly Subject[];
  readonly random: Random;
}

function patch(cluster: Cluster, path: string, [type, body]: readonly [string, JsonValue]) {
  return request(cluster, { method: 'PATCH', path, body, type });
}

/** What controllers and users do to an object in a WEC: mostly its status changes. */
async function changeInWec({ cluster, subjects, random }: Place): Promise<Answer> {
  const { ref, object, status } = random.pick(subjects);
  const path = pathOf(ref);
  const what = random.next();
  if (what < 0.04) return request(cluster, { method: 'DELETE', path });
  if (what < 0.1 && ref.resource !== 'jobs')
    return patch(cluster, path, [MERGE_PATCH, { spec: { replicas: random.below(9) } }]);
  const body = [{ op: 'add', path: '/status', value: status(random) }];
  const answer = await patch(cluster, `${path}/status`, [JSON_PATCH, body]);
  if (answer.status !== 404) return answer;
  const [collection] = path.split(`/${ref.name}`);
  return request(cluster, { method: 'POST', path: collection ?? path, body: object });
}

/** What a user does to an object in the WDS now and then. */
async function changeInWds({ cluster, subjects, random }: Place): Promise<Answer> {
  await delay(random.below(50) * PAUSE_MS);
  const { ref } = random.pick(subjects.filter((one) => one.ref.resource === 'deployments'));
  const body = { spec: { replicas: random.below(9) } };
  return patch(cluster, pathOf(ref), [MERGE_PATCH, body]);
}

/** Changes objects in all clusters at random; those of an API server that is down are left out. */
export function startChanges(places: readonly Place[]): Changes {
  const stopping = new AbortController();
  const refused: string[] = [];
  let taken = 0;
  const note = ({ status, body }: Answer): void => {
    if (status < 300) taken += 1;
    else if (status === 400 || status === 422) refused.push(JSON.stringify(body));
  };
  const run = async (place: Place): Promise<void> => {
    const change = place.cluster.name === 'wds' ? changeInWds : changeInWec;
    while (!stopping.signal.aborted) {
      // A server that is down or is just being killed: the next change finds out whether it is back.
      await change(place).then(note, () => undefined);
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.all(places.map(run));
  return {
    count: () => taken,
    stop: async () => {
      stopping.abort();
      await running;
      if (refused.length > 0) throw new Error(`changes that are invalid: ${refused.join('\n')}`);
    },
  };
}
