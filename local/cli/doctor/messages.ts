import { shellWord } from '#local/cli/deployment/lines.ts';
import { counted } from '#shared/core/counted.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';

/** A message of a finding, and its remedy. */
export interface Advice {
  readonly message: string;
  readonly remedy: string;
}

function unregister(source: EventSource): string {
  return `starfold unregister ${shellWord(sourceText(source), `${source.type}/NAME`)}`;
}

/** There is no region, so perhaps no AWS. `aws` is what to do if there is. */
export function noAws(aws: string): Advice {
  return {
    message:
      'starfold doctor checks a deployment on AWS. For an installation without AWS, starfold get wecs --state FILE (the state of starfold start), or --kubeconfig FILE (its API), shows which WECs report',
    remedy: `for a deployment on AWS: ${aws}`,
  };
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

/** The writer has no WDS. */
export const NO_WDS = 'no WDS is configured';

/** A cluster that the writer can use. */
export function permitted(cluster: string): string {
  return `${cluster} answers, and the writer has all permissions that it needs`;
}

/** `permissions` are missing. */
export function notPermitted(cluster: string, permissions: string): string {
  return `${cluster} answers, but the writer may not ${permissions}`;
}

/** The answer of a cluster is an error. */
export function rejects(cluster: string, error: string): string {
  return `${cluster} answers, but rejects the request: ${error}`;
}

/** A cluster without an answer. */
export function unreachable(cluster: string, error = 'it does not answer'): string {
  return `${cluster} cannot be reached: ${error}`;
}

/** A cluster that is not asked, because its kubeconfig cannot be used. */
export function notAsked(cluster: string, error: string): string {
  return `${cluster} cannot be asked: ${error}`;
}

/** The remedies for a cluster that cannot be used. */
export const CLUSTER_REMEDIES = {
  kubeconfig:
    'do what the message says; the kubeconfig is read again automatically, and hints wait until then',
  silence: 'check whether its API server runs and AWS can reach it; hints wait until then',
} as const;

/** `answer` is what the function has returned instead of the checks. */
export function noChecks(functionName: string, answer: string): Advice {
  return {
    message: `${functionName} did not answer whether the WDSes can be reached: ${answer}`,
    remedy: 'see its log; after an update, deploy it again',
  };
}

/** `ages` is the time that the oldest message has waited, if it is known. */
export function queueReport(
  queue: string,
  { waiting, inFlight }: { readonly waiting: number; readonly inFlight: number },
  age?: string,
): string {
  const oldest = age === undefined ? 'the age of the oldest is not known' : `the oldest ${age} old`;
  return `${queue}: ${waiting} waiting, ${inFlight} being handled, ${oldest}`;
}
