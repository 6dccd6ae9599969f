import type { Account, FunctionState, Stack } from '#local/cli/deployment/account.ts';
import {
  deploymentOf,
  findStack,
  functionName,
  functionsOf,
  stackName,
} from '#local/cli/deployment/deployment.ts';
import { AWS_FAULTS } from '#local/cli/deployment/messages.ts';
import type { DeploymentOptions } from '#local/cli/deployment/options.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { checkBindings } from './bindings.ts';
import {
  attempt,
  type Finding,
  findingLines,
  findingsJson,
  ok,
  problem,
  tally,
  warning,
} from './finding.ts';
import { checkAllDeadLetters, checkQueues } from './queues.ts';
import { checkSources } from './sources.ts';
import {
  credentialsInUse,
  FUNCTION_REMEDIES,
  functionMissing,
  functionReport,
  noAws,
  STACK_REMEDIES,
  stackState,
} from './stack-messages.ts';
import { checkSubjects } from './subjects.ts';
import { checkAllWdses } from './wdses.ts';

/** The credentials in use, with their account and region. */
async function checkCredentials(account: Account): Promise<readonly Finding[]> {
  const region = await account.region();
  const { arn } = await account.identity();
  return [ok('credentials', credentialsInUse(arn, region))];
}

/**
 * The state of a stack (CloudFormation User Guide, "Understand CloudFormation stack creation events", stack status
 * codes).
 */
function checkStack(name: string, stack: Stack): Finding {
  const { status, changedMs } = stack;
  const since = new Date(changedMs).toISOString();
  const message = stackState(name, stack, since);
  if (status === 'CREATE_COMPLETE' || status === 'UPDATE_COMPLETE') return ok('stack', message);
  if (status.endsWith('_IN_PROGRESS'))
    return warning('stack', { message, remedy: STACK_REMEDIES.changing });
  if (status === 'UPDATE_ROLLBACK_COMPLETE' || status === 'IMPORT_ROLLBACK_COMPLETE')
    return warning('stack', { message, remedy: STACK_REMEDIES.rolledBack });
  return problem('stack', { message, remedy: STACK_REMEDIES.incomplete });
}

function checkFunction(name: string, found: FunctionState | undefined): Finding {
  if (found === undefined) return problem('functions', functionMissing(name));
  const { state, lastUpdate } = found;
  const message = functionReport(name, found);
  if (state === 'Failed' || lastUpdate === 'Failed')
    return problem('functions', { message, remedy: FUNCTION_REMEDIES.deploy });
  if (state === 'Pending' || lastUpdate === 'InProgress')
    return warning('functions', { message, remedy: FUNCTION_REMEDIES.preparing });
  return ok('functions', message);
}

/** Whether each function of a stack exists and is ready. */
async function checkFunctions(
  account: Account,
  name: string,
  stack: Stack,
): Promise<readonly Finding[]> {
  const names = functionsOf(stack).map((one) => functionName(name, one));
  const states = await Promise.all(names.map((one) => account.functionState(one)));
  return names.map((one, index) => checkFunction(one, states[index]));
}

/** The options of `starfold doctor`. */
export interface DoctorOptions extends DeploymentOptions {
  readonly output: 'table' | 'json';
}

/** The dependencies of the command. */
export interface DoctorWorld {
  readonly account: Account;
  readonly terminal: Terminal;
}

/** The checks of what runs in a stack. If AWS does not allow one, the others still run. */
async function checkInside(
  options: DoctorOptions,
  { account, terminal }: DoctorWorld,
): Promise<readonly Finding[]> {
  const name = stackName(options.stage);
  const stack = await findStack(account, options.stage);
  const inside = async (): Promise<readonly Finding[]> => {
    const deployment = deploymentOf(account, options.stage, stack);
    const nowMs = terminal.clock();
    const found = await Promise.all([
      attempt('queues', () => checkQueues(account, deployment, nowMs)),
      attempt('dead letters', () => checkAllDeadLetters(account, deployment, nowMs)),
      attempt('sources', () => checkSources(deployment.store, nowMs)),
      attempt('Bindings', () => checkBindings(deployment.store)),
      attempt('subjects', () => checkSubjects(deployment.store, nowMs)),
    ]);
    return found.flat();
  };
  const found = await Promise.all([
    attempt('functions', () => checkFunctions(account, name, stack)),
    attempt('stack', inside),
    attempt('WDSes', () => checkAllWdses(account, name)),
  ]);
  return [checkStack(name, stack), ...found.flat()];
}

/** A missing region is the first that a user notices who has no AWS. */
function withoutAws(finding: Finding): Finding {
  const { noRegion } = AWS_FAULTS;
  return finding.message === noRegion ? problem(finding.check, noAws(noRegion)) : finding;
}

async function diagnose(options: DoctorOptions, world: DoctorWorld): Promise<readonly Finding[]> {
  const credentials = await attempt('credentials', () => checkCredentials(world.account));
  if (credentials.some(({ level }) => level === 'problem')) return credentials.map(withoutAws);
  return [...credentials, ...(await attempt('stack', () => checkInside(options, world)))];
}

/**
 * Reports the state of a deployment: what exists, what is waiting, what is stuck and why, which sources are silent,
 * what is missing.
 *
 * @throws InputError if there is a problem, after everything is printed
 */
export async function runDoctor(options: DoctorOptions, world: DoctorWorld): Promise<void> {
  const findings = await diagnose(options, world);
  const { terminal } = world;
  terminal.out(options.output === 'json' ? findingsJson(findings) : findingLines(findings));
  if (findings.some(({ level }) => level === 'problem')) throw new InputError(tally(findings));
}
