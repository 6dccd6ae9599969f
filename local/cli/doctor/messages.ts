import { shellWord } from '#local/cli/deployment/lines.ts';
import { counted } from '#shared/core/counted.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';

// What doctor says of sources, Bindings and subjects. The other sentences are in stack-messages.ts, queue-messages.ts and
// cluster-messages.ts.

/** A message of a finding, and its remedy. */
export interface Advice {
  readonly message: string;
  readonly remedy: string;
}

function unregister(source: EventSource): string {
  return `starfold unregister ${shellWord(sourceText(source), `${source.type}/NAME`)}`;
}

/** A source that reports, but whose first listing is not complete. */
export function notListed(source: EventSource): Advice {
  return {
    message: `${sourceText(source)} has not reported everything since this state began: statuses that may depend on it are kept unchanged`,
    remedy: `wait until its forwarder has listed its cluster; otherwise, see its log and restart it; if it was removed: ${unregister(source)}`,
  };
}

/** `quota` is the limit that the source has reached, `objects` what is counted. */
export function quotaReached(source: EventSource, quota: number, objects: number): Advice {
  return {
    message: `${sourceText(source)} has reached its quota of ${quota} objects (${objects} are counted): no new objects are recorded`,
    remedy:
      'have its forwarder select fewer objects, or raise objectsPerWec in infra/settings.yml and deploy; its next snapshot, or a restart of it, reports what was left out',
  };
}

/** `since` is the time since the last heartbeat. */
export function notRegistered(source: EventSource, since: string): Advice {
  const word = shellWord(sourceText(source), `${source.type}/NAME`);
  return {
    message: `${sourceText(source)} has reported (${since} ago) but is not registered: its events are rejected`,
    remedy: `starfold register ${word}, or starfold unregister ${word} to remove it permanently`,
  };
}

/** Like {@link notRegistered}. */
export function silentSource(source: EventSource, since: string): Advice {
  const effect = source.type === 'wec' ? 'its results are stale' : 'changes there are not noticed';
  return {
    message: `${sourceText(source)} has been silent for ${since}: ${effect}`,
    remedy: `check whether its forwarder runs and reaches its cluster and SQS; if it was removed: ${unregister(source)}`,
  };
}

/** A silence that the sweep should have recorded. */
export function silenceNotRecorded(source: EventSource): Advice {
  return {
    message: `sweep-stale has not recorded that ${sourceText(source)} is silent`,
    remedy: 'check whether its schedule is enabled, and see its log',
  };
}

/** A registered source without a heartbeat. */
export function neverReported(source: EventSource): Advice {
  return {
    message: `${sourceText(source)} is registered but has never reported`,
    remedy: `check whether its forwarder runs, under this name and as the registered principal; otherwise: ${unregister(source)}`,
  };
}

/** A registration for every WEC that no WEC has used. */
export const NO_WEC_REPORTED: Advice = {
  message: 'wec/* is registered but no WEC has ever reported',
  remedy:
    "check whether the forwarder of the ITS runs, and as the registered principal; otherwise: starfold unregister 'wec/*' --principal ID (starfold register --list shows it)",
};

/** A new deployment. */
export const NOBODY_REGISTERED: Advice = {
  message: 'no source is registered: no event is recorded',
  remedy: 'starfold register wec/NAME --role ARN, and wds/NAME or fleet/NAME, for each forwarder',
};

/**
 * The sources without a problem.
 *
 * @param named the number of registrations of one source
 * @param unnamed the number of WECs that report by a registration for every WEC; absent if there is none
 */
export function sourcesReport(named: number, unnamed?: number): string {
  const each = `${counted(named, 'source')} registered, each reports`;
  if (unnamed === undefined) return each;
  const others = `${counted(unnamed, 'WEC')} without a registration of its own ${unnamed === 1 ? 'reports' : 'report'}`;
  return named === 0
    ? `wec/* is registered, and ${others}`
    : `${each}; wec/* is registered too, and ${others}`;
}

/** The Bindings without a problem. */
export function allReporting(bindings: number): string {
  return `${counted(bindings, 'Binding')}, none sends to a silent WEC`;
}

/** `message` names a Binding and its WECs that do not report. */
export function notReporting(message: string): Advice {
  return {
    message,
    remedy:
      'check whether the forwarder of each of these WECs runs and reaches its cluster and SQS; if a WEC was removed, remove it from the Binding or BindingPolicy, then: starfold unregister wec/NAME',
  };
}

/** The number of the Bindings that are not named. */
export function moreBindings(others: number): string {
  return `${counted(others, 'more Binding')} with WECs that do not report`;
}

/** No subject is set aside. */
export const NONE_SET_ASIDE = 'none is set aside';

const SIMPLIFY =
  'simplify the expressions of its StatusCollectors, or have clusters report less of it; the log of aggregate-workload shows how the function ended';

/** A subject whose aggregation has ended the process. `age` is the time since; `untilRetry` is absent if it is due. */
export function setAside(subject: string, age: string, untilRetry?: string): Advice {
  const next = untilRetry === undefined ? 'now' : `in ${untilRetry}`;
  return {
    message: `${subject} has been set aside for ${age}: its aggregation ends the process; retried ${next}`,
    remedy: SIMPLIFY,
  };
}

/** The number of the subjects that are not named. */
export function moreSetAside(others: number): Advice {
  return { message: `${counted(others, 'more subject')} set aside`, remedy: SIMPLIFY };
}

/** An object in a WDS. */
export function inWds(object: string, wds: string): string {
  return `${object} in WDS ${wds}`;
}

/** An object of Fleet. */
export function inManagementCluster(object: string, upstream: string): string {
  return `${object} in management cluster ${upstream}`;
}
