import type { EventSource, EventVersion } from '#shared/core/event.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WecRow } from '#shared/core/row.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { type ChangeTime, earliestChange } from '#shared/messages/change-time.ts';
import type { ReceivedEvent } from './follow-ups.ts';

/** What an event says about a row. */
export interface RowStatement extends ChangeTime {
  readonly workload: WorkloadRef;
  readonly wec: string;
  readonly version: EventVersion;
  readonly source: EventSource;
  readonly first: boolean;
  readonly row?: WecRow;
  /** The spec of the row, until it is stored separately. */
  readonly spec?: JsonValue;
  readonly oversizedBytes?: number;
}

/** What an event says about a row; `undefined` if it is not an event of a WEC. */
export function rowStatement(event: ReceivedEvent): RowStatement | undefined {
  const { content, source, version } = event;
  if (content.type !== 'wec-object') return undefined;
  const workload = { wds: content.wds, ...content.subject };
  const change = earliestChange([event]);
  const { first, returned: said } = content;
  const base = { workload, wec: source.name, version, source, first, ...change };
  if (said === undefined) return base;
  const { spec, oversizedBytes, ...returned } = said;
  return {
    ...base,
    row: { wec: source.name, ...returned },
    ...(spec === undefined ? {} : { spec }),
    ...(oversizedBytes === undefined ? {} : { oversizedBytes }),
  };
}
