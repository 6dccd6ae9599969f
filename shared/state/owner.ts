import * as z from 'zod/mini';
import type { Subject } from '#shared/core/subject.ts';
import type { Item } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { looseObject } from '#shared/state/loose-object.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

const OWNER = bodyCodec<WorkloadSubject>(
  'owner of a CombinedStatus',
  looseObject({
    type: z.literal('workload'),
    workload: looseObject({
      wds: z.string(),
      group: z.string(),
      resource: z.string(),
      namespace: z.string(),
      name: z.string(),
    }),
  }),
);

/** The body of the item that names the subject of a CombinedStatus (`ownerKey`). */
export function ownerBody(subject: WorkloadSubject): string | Uint8Array {
  return OWNER.encode(subject);
}

/** The subject that such an item names. */
export function decodeOwner(item: Item): WorkloadSubject {
  return OWNER.decode(item);
}
