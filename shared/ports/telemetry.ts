/** What functions count (CloudWatch metrics of the namespace `Starfold`). */
export type CountName =
  /** Events that were read and whose sender may speak for their source. */
  | 'EventsRecorded'
  /** Events and messages that shared the work of another one: the same row, the same subject in one invocation. */
  | 'EventsCoalesced'
  /** Events that could not be read. */
  | 'RefusedEvents'
  /** Messages whose sender is not registered for the source that they speak for. */
  | 'ForgedSenders'
  /** Aggregations of a subject. */
  | 'Folds'
  /** Objects created, changed or deleted in a WDS. */
  | 'Writes'
  /** Writes that had to start again: the object, or what is desired of it, had changed. */
  | 'WriteConflicts'
  /** Objects that an API server refused to take. */
  | 'WritesRefused'
  /** Objects of Fleet of which the status is not what it should be, as they stand when they are counted. */
  | 'FleetDifferences'
  /** Subjects that are set aside because aggregating them has ended the process, as they stand when they are counted. */
  | 'SubjectsSetAside'
  /** Dead letters that went back to their queue. */
  | 'Redriven';

/** How a use case tells an operator what it does, without knowing how metrics and logs are kept. */
export interface Telemetry {
  /** Adds to a count of this invocation; 1 by default. */
  count(name: CountName, value?: number): void;
  /** Milliseconds from when the queue took a change to when the WDS said so (metric `ChangeToWds`). */
  changeToWds(milliseconds: number): void;
  /** As {@link Telemetry.info}, for what happens with every event: nobody pays for these lines unless asked for. */
  debug(message: string, fields: Readonly<Record<string, unknown>>): void;
  /**
   * A line of the structured log. `fields` name the object: `workload` (its workload key), `wds`, `wec`, and what it was
   * about: `version` of an event, `revision` of a result.
   */
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** As {@link Telemetry.info}, for what an operator should see. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}
