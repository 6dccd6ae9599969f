import * as z from 'zod/mini';
import { bodyCodec } from '#shared/state/body.ts';

/** A note that is put before somebody is told of something, and once more when he has been. */
export interface ToldNote {
  /** Hash of what he is told. */
  readonly hash: string;
  /** Whether he has been told. */
  readonly told: boolean;
}

/** How such notes are stored: of the members of a Binding, and of the errors of a workload object. */
export const TOLD_NOTE = bodyCodec<ToldNote>(
  'note of what was told',
  z.looseObject({ hash: z.string(), told: z.boolean() }),
);
