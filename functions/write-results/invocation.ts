import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  type CHECK_WDSES,
  type CheckWdsesDeps,
  type ClusterCheck,
  checkWdses,
} from '#shared/doctor/check-wdses.ts';
import { type Observability, type SqsHandler, withMiddleware } from '#shared/runtime/batch.ts';

/** The input of the function: messages of its queue, or the check of `starfold doctor`. */
export type WriteResultsEvent = SQSEvent | typeof CHECK_WDSES;

/** The entry point of write-results. */
export type WriteResultsHandler = (
  event: WriteResultsEvent,
  context: Context,
) => Promise<SQSBatchResponse | readonly ClusterCheck[]>;

/**
 * The function with both of its tasks. It writes what the messages of its queue ask for. Because only this function reads the
 * kubeconfigs of clusters, it also checks whether the clusters can be reached and what it may not do there.
 *
 * @param check creates the dependencies of one check; each check has its own, so that no earlier result counts.
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
