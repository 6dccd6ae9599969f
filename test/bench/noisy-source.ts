import type { EventContent, ReturnedObject } from '#shared/core/event.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { NAMESPACE, workloadName } from './embedded-world.ts';
import { recorded, statusWith } from './recorded-deployment.ts';

/**
 * What the events of a flood are: changes of workloads; workloads that appear and are deleted in turn; the ends of complete
 * listings; heartbeats; statuses that are small on the wire and expensive to decode.
 */
export const FLOODS = ['changes', 'deletions', 'snapshots', 'heartbeats', 'numbers'] as const;

/** What a noisy WEC says. */
export interface Flood {
  readonly noisy: string;
  readonly of: (typeof FLOODS)[number];
  /** It speaks of all of them, again and again. */
  readonly workloads: number;
  readonly messages: number;
}

/** How many events a message of a flood has. */
export function eventsInMessage(of: Flood['of']): number {
  return of === 'numbers' ? 1 : 20;
}

/** Almost as many as a status may have. */
const NUMBERS = Array.from({ length: 49_000 }, () => 0.1234567890123456);
/** As many as a forwarder sends at a time. */
const MESSAGES_AT_ONCE = 10;

/** The replicas in an event of a flood: others than in the event before of the same workload, so something follows from each. */
export function replicasIn({ workloads }: Pick<Flood, 'workloads'>, sequence: number): number {
  return ((sequence % workloads) + Math.floor(sequence / workloads)) % 5;
}

function contentOf(flood: Flood, wds: string, sequence: number): EventContent {
  const { of, noisy, workloads } = flood;
  if (of === 'heartbeats') return { type: 'heartbeat' };
  if (of === 'snapshots') return { type: 'snapshot', since: { epoch: 1, sequence: sequence - 1 } };
  const name = workloadName(sequence % workloads);
  const round = Math.floor(sequence / workloads);
  const content = {
    type: 'wec-object' as const,
    wds,
    subject: { group: 'apps', resource: 'deployments', namespace: NAMESPACE, name },
    first: of === 'deletions',
  };
  if (of === 'deletions' && round % 2 === 1) return content;
  const uid = of === 'deletions' ? `${noisy}-${name}-${round}` : `${noisy}-${name}`;
  const status =
    of === 'numbers' ? { sequence, numbers: NUMBERS } : statusWith(replicasIn(flood, sequence));
  const said = { spec: recorded('spec'), status };
  return { ...content, returned: { uid, generation: 1, ...said } };
}

/** So many WECs that each report everything at once, as their forwarders do when they reconnect. */
export interface Storm {
  readonly sources: number;
  /** There are so many workloads in all. */
  readonly workloads: number;
  /** Each source has so many of them. */
  readonly objects: number;
}

/** The name of a WEC of a storm, by index. */
export function stormName(index: number): string {
  return `storm-${String(index).padStart(5, '0')}`;
}

/** What a WEC of a storm says of its objects, by the name of the workload. */
export function stormReports(
  { workloads, objects }: Pick<Storm, 'workloads' | 'objects'>,
  index: number,
): ReadonlyMap<string, ReturnedObject> {
  const said = { generation: 1, spec: recorded('spec'), status: statusWith(index % 5) };
  const names = Array.from({ length: objects }, (_object, object) =>
    workloadName((index * objects + object) % workloads),
  );
  return new Map(names.map((name) => [name, { uid: `${stormName(index)}-${name}`, ...said }]));
}

/** The one message of a WEC of a storm: all its objects, and the end of the snapshot. */
export function snapshotOf(storm: Storm, wds: string, index: number): string {
  const source = { type: 'wec', name: stormName(index) } as const;
  const time = new Date().toISOString();
  const reports = [...stormReports(storm, index)].map(
    ([name, returned]): EventContent => ({
      type: 'wec-object',
      wds,
      subject: { group: 'apps', resource: 'deployments', namespace: NAMESPACE, name },
      first: true,
      returned,
    }),
  );
  const contents = [...reports, { type: 'snapshot', since: { epoch: 1, sequence: 0 } } as const];
  return encodeBatch(
    contents.map((content, sequence) =>
      encodeEvent({ source, version: { epoch: 1, sequence: sequence + 1 }, time, content }),
    ),
  );
}

/** The messages of a flood, some at a time. */
export function* floodOf(flood: Flood, wds: string): Generator<readonly string[]> {
  const { noisy, messages } = flood;
  let sequence = 0;
  const event = (): string => {
    sequence += 1;
    return encodeEvent({
      source: { type: 'wec', name: noisy },
      version: { epoch: 1, sequence },
      time: new Date().toISOString(),
      content: contentOf(flood, wds, sequence),
    });
  };
  const body = (): string => encodeBatch(Array.from({ length: eventsInMessage(flood.of) }, event));
  for (let sent = 0; sent < messages; sent += MESSAGES_AT_ONCE)
    yield Array.from({ length: Math.min(MESSAGES_AT_ONCE, messages - sent) }, body);
}
