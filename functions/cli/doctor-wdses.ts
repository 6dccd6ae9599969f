import {
  CHECK_WDSES,
  IF_SUBRESOURCE,
  parseWdsChecks,
  type WdsCheck,
} from '#functions/write-results/check-wdses.ts';
import type { Account } from './deployment/account.ts';
import { functionName } from './deployment/deployment.ts';
import { type Finding, ok, problem, warning } from './doctor-finding.ts';

const MAX_ANSWER_CHARACTERS = 300;
const GRANT =
  'allow it to the user of its kubeconfig in the WDS (infra/rbac/writer.yaml, docs/operations.md)';

const REMEDIES: Readonly<Record<NonNullable<WdsCheck['cause']>, string>> = {
  kubeconfig:
    'do what the message says; the kubeconfig is read again by itself, and hints wait until then',
  denied: GRANT,
  silence: 'see whether its API server runs and AWS can reach it; hints wait until then',
};

function failed({ wds, reachable, error, cause = 'silence' }: WdsCheck): Finding {
  const unanswered = cause === 'kubeconfig' ? 'cannot be asked' : 'cannot be reached';
  const what = reachable ? 'answers, and refuses' : unanswered;
  return problem('WDSes', `${wds} ${what}: ${error ?? 'it does not answer'}`, REMEDIES[cause]);
}

function checkWds(check: WdsCheck): Finding {
  const { wds, reachable, error, missing } = check;
  if (!reachable || error !== undefined) return failed(check);
  if (missing.length === 0)
    return ok('WDSes', `${wds} answers, and the writer may do all that it must`);
  const text = `${wds} answers, and the writer may not ${missing.join(', ')}`;
  const isCertain = missing.some((entry) => !entry.endsWith(IF_SUBRESOURCE));
  return isCertain ? problem('WDSes', text, GRANT) : warning('WDSes', text, GRANT);
}

function unreadable(name: string, payload: string): Finding {
  return problem(
    'WDSes',
    `${name} did not answer whether the WDSes can be reached: ${payload.slice(0, MAX_ANSWER_CHARACTERS)}`,
    'see its log; after an update deploy it again',
  );
}

/** Asks the writer whether it reaches each WDS and may do there what it must. The kubeconfigs stay with the writer. */
export async function checkAllWdses(account: Account, stack: string): Promise<readonly Finding[]> {
  const name = functionName(stack, 'write-results');
  const { payload, failed } = await account.invoke(name, JSON.stringify(CHECK_WDSES));
  if (failed) return [unreadable(name, payload)];
  let checks: readonly WdsCheck[];
  try {
    checks = parseWdsChecks(payload);
  } catch {
    return [unreadable(name, payload)];
  }
  if (checks.length > 0) return checks.map(checkWds);
  return [
    problem(
      'WDSes',
      'no WDS is configured',
      'add it to wdses in infra/settings.yml and deploy again',
    ),
  ];
}
