import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import type { LeaderElectionState } from '#functions/event-forwarder/leader-election-options.ts';

/** How a term as leader is. */
export interface TermStatus {
  readonly epoch: number;
  readonly forwarder: ForwarderState;
  /** The queue has accepted something in this term. */
  readonly sent: boolean;
  /** What the cluster serves, by `<resource>.<group>/<version>`; none: that was not asked, or in vain. */
  readonly served: readonly string[];
}

/** How the process is. */
export interface ProgramStatus {
  /** It has been told to stop. */
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
