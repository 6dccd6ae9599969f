import type { WorkloadCount } from '#shared/core/health/workload-counts.ts';

/** The counters of functions (CloudWatch metrics of the namespace `Starfold`). */
export type CountName =
  /** Events that were read and whose sender may report for their source. */
  | 'EventsRecorded'
  /** Events and messages that shared the work of another one: the same row, or the same subject in one invocation. */
  | 'EventsCoalesced'
  /** Events that could not be read. */
  | 'RefusedEvents'
  /** Messages whose sender is not registered for their source. */
  | 'ForgedSenders'
  /** Aggregations of a subject. */
  | 'Folds'
  /** Objects created, changed or deleted in a WDS. */
  | 'Writes'
  /** Writes that had to start again because the object, or its desired result, had changed. */
  | 'WriteConflicts'
  /** Objects that an API server rejected. */
  | 'WritesRefused'
  /** Objects of Fleet whose status differs from the desired one, at the time of counting. */
  | 'FleetDifferences'
  /** Subjects that are set aside because their aggregation has ended the process, at the time of counting. */
  | 'SubjectsSetAside'
  /** Events that receivers accepted. */
  | 'Notifications'
  /** Events that receivers did not accept. */
  | 'NotificationsRefused'
  /** Dead letters that were sent to their queue again. */
  | 'Redriven';

/** How many workload objects of a resource of a WDS have a verdict now. */
export interface WorkloadGauge extends WorkloadCount {
  readonly wds: string;
}

/** Reports what a use case does to operators, independent of the technology of metrics and logs. */
export interface Telemetry {
  /** Adds to a counter of this invocation; 1 by default. */
  count(name: CountName, value?: number): void;
  /** The milliseconds from the time when the queue accepted a change until the WDS showed it (metric `ChangeToWds`). */
  changeToWds(milliseconds: number): void;
  /** Publishes a value (metric `Workloads`, with the dimensions `wds`, `resource` and `verdict`) that replaces the one before. */
  workloads(gauge: WorkloadGauge): void;
  /**
   * Like {@link Telemetry.info}, for something that happens with every event. These lines cost nothing unless they are enabled.
   */
  debug(message: string, fields: Readonly<Record<string, unknown>>): void;
  /**
   * Writes a line of the structured log. `fields` name the object: `workload` (its workload key), `wds`, `wec`, and details:
   * `version` of an event, `revision` of a result.
   */
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Like {@link Telemetry.info}, for something that an operator should see. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}
