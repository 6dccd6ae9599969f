import type { Account } from '#local/cli/deployment/account.ts';
import { functionName } from '#local/cli/deployment/deployment.ts';
import {
  CHECK_WDSES,
  type ClusterCheck,
  IF_SUBRESOURCE,
  parseWdsChecks,
} from '#shared/doctor/check-wdses.ts';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

const MAX_ANSWER_CHARACTERS = 300;

const REMEDIES: Readonly<Record<'kubeconfig' | 'silence', string>> = {
  kubeconfig:
    'do what the message says; the kubeconfig is read again by itself, and hints wait until then',
  silence: 'see whether its API server runs and AWS can reach it; hints wait until then',
};

/** A cluster as findings name it. */
interface Named {
  readonly check: Check;
  readonly name: string;
  /** How to grant the writer's missing permissions there. */
  readonly grant: string;
}

function named(check: ClusterCheck): Named {
  if ('wds' in check)
    return {
      check: 'WDSes',
      name: check.wds,
      grant:
        'allow it to the user of its kubeconfig in the WDS (infra/rbac/writer.yaml, docs/operations.md)',
    };
  const { upstream, mode } = check;
  return {
    check: 'Fleet',
    name: upstream,
    grant: `allow it to the user of its kubeconfig in the management cluster (infra/rbac/fleet-${mode}.yaml, docs/operations.md)`,
  };
}

function failed({ reachable, error, cause = 'silence' }: ClusterCheck, at: Named): Finding {
  const unanswered = cause === 'kubeconfig' ? 'cannot be asked' : 'cannot be reached';
  const what = reachable ? 'answers, and refuses' : unanswered;
  const remedy = cause === 'denied' ? at.grant : REMEDIES[cause];
  return problem(at.check, `${at.name} ${what}: ${error ?? 'it does not answer'}`, remedy);
}

function checkCluster(found: ClusterCheck): Finding {
  const at = named(found);
  const { check, name, grant } = at;
  const { reachable, error, missing, taken } = found;
  if (!reachable || error !== undefined) return failed(found, at);
  if (taken !== undefined)
    return problem(check, taken, 'do what the message says; hints wait until then');
  if (missing.length === 0)
    return ok(check, `${name} answers, and the writer may do all that it must`);
  const text = `${name} answers, and the writer may not ${missing.join(', ')}`;
  const isCertain = missing.some((entry) => !entry.endsWith(IF_SUBRESOURCE));
  return isCertain ? problem(check, text, grant) : warning(check, text, grant);
}

function unreadable(name: string, payload: string): Finding {
  return problem(
    'WDSes',
    `${name} did not answer whether the WDSes can be reached: ${payload.slice(0, MAX_ANSWER_CHARACTERS)}`,
    'see its log; after an update deploy it again',
  );
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
  return [
    problem(
      'WDSes',
      'no WDS is configured',
      'add it to wdses in infra/settings.yml and deploy again',
    ),
  ];
}
