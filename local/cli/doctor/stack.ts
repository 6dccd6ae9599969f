import type { Account, FunctionState, Stack } from '#local/cli/deployment/account.ts';
import { functionName, functionsOf } from '#local/cli/deployment/deployment.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const EVENTS = 'the events of the stack in the console of CloudFormation say why';

/** Whose credentials are used, and where. */
export async function checkCredentials(account: Account): Promise<readonly Finding[]> {
  const region = await account.region();
  const { arn } = await account.identity();
  return [ok('credentials', `${arn} in ${region}`)];
}

/** How a stack stands (CloudFormation User Guide, "Understand CloudFormation stack creation events", stack status codes). */
export function checkStack(name: string, stack: Stack): Finding {
  const { status, reason, changedMs } = stack;
  const since = new Date(changedMs).toISOString();
  const text = `${name} is ${status} since ${since}${reason === '' ? '' : ` (${reason})`}`;
  if (status === 'CREATE_COMPLETE' || status === 'UPDATE_COMPLETE') return ok('stack', text);
  if (status.endsWith('_IN_PROGRESS'))
    return warning('stack', text, 'somebody is changing it: wait until that is done');
  if (status === 'UPDATE_ROLLBACK_COMPLETE' || status === 'IMPORT_ROLLBACK_COMPLETE')
    return warning('stack', text, `the last update failed, and it runs as before; ${EVENTS}`);
  return problem('stack', text, `it is not whole; ${EVENTS}, then deploy it again`);
}

function checkFunction(name: string, found: FunctionState | undefined): Finding {
  if (found === undefined)
    return problem('functions', `${name} is not there`, 'deploy it again (npx serverless deploy)');
  const { state, lastUpdate, changed, reason } = found;
  const why = reason === '' ? '' : ` (${reason})`;
  const text = `${name} is ${state || 'in an unknown state'}, last update ${lastUpdate || 'unknown'}, changed ${changed}${why}`;
  if (state === 'Failed' || lastUpdate === 'Failed')
    return problem('functions', text, 'deploy it again (npx serverless deploy)');
  if (state === 'Pending' || lastUpdate === 'InProgress')
    return warning('functions', text, 'it is being made ready: wait a minute');
  return ok('functions', text);
}

/** Whether each function of a stack is there and ready. */
export async function checkFunctions(
  account: Account,
  name: string,
  stack: Stack,
): Promise<readonly Finding[]> {
  const names = functionsOf(stack).map((one) => functionName(name, one));
  const states = await Promise.all(names.map((one) => account.functionState(one)));
  return names.map((one, index) => checkFunction(one, states[index]));
}
