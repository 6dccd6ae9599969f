import type { Account } from '#local/cli/deployment/account.ts';
import { functionName } from '#local/cli/deployment/deployment.ts';
import {
  CHECK_WDSES,
  type ClusterCheck,
  IF_SUBRESOURCE,
  parseWdsChecks,
} from '#shared/doctor/check-wdses.ts';
import {
  CLUSTER_REMEDIES,
  GRANTS,
  NO_WDS,
  noChecks,
  notAsked,
  notPermitted,
  permitted,
  rejects,
  takenByAnother,
  unreachable,
} from './cluster-messages.ts';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

const MAX_ANSWER_CHARACTERS = 300;

/** A cluster as findings name it. */
interface Named {
  readonly check: Check;
  readonly name: string;
  /** How to grant the writer's missing permissions there. */
  readonly grant: string;
}

function named(check: ClusterCheck): Named {
  if ('wds' in check) return { check: 'WDSes', name: check.wds, grant: GRANTS.wds };
  const { upstream, mode } = check;
  return { check: 'Fleet', name: upstream, grant: GRANTS.fleet(mode) };
}

function failed({ reachable, error, cause = 'silence' }: ClusterCheck, at: Named): Finding {
  const advice = {
    message: reachable
      ? rejects(at.name, error ?? '')
      : cause === 'kubeconfig'
        ? notAsked(at.name, error ?? '')
        : unreachable(at.name, error),
    remedy: cause === 'denied' ? at.grant : CLUSTER_REMEDIES[cause],
  };
  return problem(at.check, advice);
}

function checkCluster(found: ClusterCheck): Finding {
  const at = named(found);
  const { check, name, grant } = at;
  const { reachable, error, missing, taken } = found;
  if (!reachable || error !== undefined) return failed(found, at);
  if (taken !== undefined) return problem(check, takenByAnother(taken));
  if (missing.length === 0) return ok(check, permitted(name));
  const advice = { message: notPermitted(name, missing.join(', ')), remedy: grant };
  const isCertain = missing.some((entry) => !entry.endsWith(IF_SUBRESOURCE));
  return isCertain ? problem(check, advice) : warning(check, advice);
}

function unreadable(name: string, payload: string): Finding {
  return problem('WDSes', noChecks(name, payload.slice(0, MAX_ANSWER_CHARACTERS)));
}

/**
 * Asks the writer whether it reaches each WDS and each management cluster of Fleet, and whether it has the required
 * permissions there. The kubeconfigs are only read by the writer.
 */
export async function checkAllWdses(account: Account, stack: string): Promise<readonly Finding[]> {
  const name = functionName(stack, 'write-results');
  const { payload, failed } = await account.invoke(name, JSON.stringify(CHECK_WDSES));
  if (failed) return [unreadable(name, payload)];
  let checks: readonly ClusterCheck[];
  try {
    checks = parseWdsChecks(payload);
  } catch {
    return [unreadable(name, payload)];
  }
  if (checks.length > 0) return checks.map(checkCluster);
  return [problem('WDSes', NO_WDS)];
}
