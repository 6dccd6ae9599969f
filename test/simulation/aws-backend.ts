import type { MakeBackend } from './backend.ts';
import { startTables } from './dynamodb-backend.ts';
import type { Losses } from './losses.ts';
import { startSqs } from './sqs-backend.ts';

/** A DynamoDB and an SQS in this process. The worlds that use it play one after the other. */
export interface AwsEmulation {
  /** The adapters for AWS, on an empty table and empty queues: the backend of the next world. */
  backend(losses: Losses): MakeBackend;
  /** How many answers have been lost. */
  readonly lost: { readonly puts: number; readonly sends: number };
  close(): Promise<void>;
}

/** Starts both. */
export async function startAwsEmulation(): Promise<AwsEmulation> {
  const tables = await startTables();
  const sqs = await startSqs();
  let worlds = 0;
  return {
    backend: (losses) => (scheduler, maxReceives) => {
      worlds += 1;
      const prefix = `world-${worlds}`;
      return {
        store: tables.createStore(scheduler, prefix, losses),
        queues: sqs.createQueues({ scheduler, prefix, maxReceives, losses }),
      };
    },
    get lost() {
      return { puts: tables.loser.lost, sends: sqs.loser.lost };
    },
    close: async () => {
      await tables.close();
      await sqs.close();
    },
  };
}
