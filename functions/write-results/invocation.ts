import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  type CHECK_WDSES,
  type CheckWdsesDeps,
  type ClusterCheck,
  checkWdses,
} from '#shared/doctor/check-wdses.ts';
import { type Observability, type SqsHandler, withMiddleware } from '#shared/runtime/batch.ts';

/** What the function is invoked with: messages of its queue, or the question of `starfold doctor`. */
export type WriteResultsEvent = SQSEvent | typeof CHECK_WDSES;

/** The entry point of write-results. */
export type WriteResultsHandler = (
  event: WriteResultsEvent,
  context: Context,
) => Promise<SQSBatchResponse | readonly ClusterCheck[]>;

/**
 * The function with both of its tasks: it writes what its queue brings, and since it alone reads the kubeconfigs of
 * clusters it says, when it is asked, whether they can be reached and what it may not do there.
 *
 * @param check what one answer to that question is found with; made for each, as nothing from before counts.
 */
export function createInvocation(
  writeResults: SqsHandler,
  check: () => CheckWdsesDeps,
  observability: Observability,
): WriteResultsHandler {
  const answer = withMiddleware((_event: typeof CHECK_WDSES) => checkWdses(check()), observability);
  return (event, context) =>
    'task' in event ? answer(event, context) : writeResults(event, context);
}
