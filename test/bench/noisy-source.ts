import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { NAMESPACE, workloadName } from './embedded-world.ts';
import { recorded, statusWith } from './recorded-deployment.ts';

/** What a noisy WEC says. */
export interface Flood {
  readonly noisy: string;
  /** It speaks of all of them, again and again. */
  readonly workloads: number;
  readonly messages: number;
}

const EVENTS_IN_MESSAGE = 20;
const MESSAGES_AT_ONCE = 100;

/** The messages of a flood, some at a time: each event says something new of a workload, so nothing of it is in vain. */
export function* floodOf(flood: Flood, wds: string): Generator<readonly string[]> {
  const { noisy, workloads, messages } = flood;
  let sequence = 0;
  const event = (): string => {
    sequence += 1;
    const name = workloadName(sequence % workloads);
    return encodeEvent({
      source: { type: 'wec', name: noisy },
      version: { epoch: 1, sequence },
      time: new Date().toISOString(),
      content: {
        type: 'wec-object',
        wds,
        subject: { group: 'apps', resource: 'deployments', namespace: NAMESPACE, name },
        first: false,
        returned: {
          uid: `${noisy}-${name}`,
          generation: 1,
          spec: recorded('spec'),
          status: statusWith(sequence % 5),
        },
      },
    });
  };
  const body = (): string => encodeBatch(Array.from({ length: EVENTS_IN_MESSAGE }, event));
  for (let sent = 0; sent < messages; sent += MESSAGES_AT_ONCE)
    yield Array.from({ length: Math.min(MESSAGES_AT_ONCE, messages - sent) }, body);
}
