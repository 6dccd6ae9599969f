import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import type { LeaderElectionState } from '#functions/event-forwarder/leader-election-options.ts';

/** The state of a term as leader. */
export interface TermStatus {
  readonly epoch: number;
  readonly forwarder: ForwarderState;
  /** Whether the queue has accepted events in this term. */
  readonly sent: boolean;
  /**
   * The resources that the cluster serves, as `<resource>.<group>/<version>`. Empty: they were not requested, or the request
   * failed.
   */
  readonly served: readonly string[];
}

/** The state of the process. */
export interface ProgramStatus {
  /** The process has been asked to stop. */
  readonly stopping: boolean;
  /** The name of this process in the Lease. */
  readonly identity: string;
  /** The resources that the configuration names. */
  readonly configured: readonly string[];
  /** Absent without leader election. */
  readonly election?: LeaderElectionState;
  /** Absent while this process does not forward. */
  readonly term?: TermStatus;
}
