import { InputError } from '#local/cli/cli-error.ts';
import type { Account } from '#local/cli/deployment/account.ts';
import { deploymentOf, findStack, stackName } from '#local/cli/deployment/deployment.ts';
import type { DeploymentOptions } from '#local/cli/deployment/options.ts';
import type { Terminal } from '#local/cli/terminal.ts';
import { attempt, type Finding, findingLines, findingsJson, tally } from './finding.ts';
import { checkAllDeadLetters, checkQueues } from './queues.ts';
import { checkSources } from './sources.ts';
import { checkCredentials, checkFunctions, checkStack } from './stack.ts';
import { checkSubjects } from './subjects.ts';
import { checkAllWdses } from './wdses.ts';

/** What `starfold doctor` is told. */
export interface DoctorOptions extends DeploymentOptions {
  readonly output: 'table' | 'json';
}

/** What the command needs of the world. */
export interface DoctorWorld {
  readonly account: Account;
  readonly terminal: Terminal;
}

/** The checks of what runs in a stack. One that AWS does not let be made leaves the others. */
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

async function diagnose(options: DoctorOptions, world: DoctorWorld): Promise<readonly Finding[]> {
  const credentials = await attempt('credentials', () => checkCredentials(world.account));
  if (credentials.some(({ level }) => level === 'problem')) return credentials;
  return [...credentials, ...(await attempt('stack', () => checkInside(options, world)))];
}

/**
 * Says how a deployment is: what is there, what waits, what is stuck and why, who is silent, what is missing.
 *
 * @throws InputError when there is a problem, once everything is printed.
 */
export async function runDoctor(options: DoctorOptions, world: DoctorWorld): Promise<void> {
  const findings = await diagnose(options, world);
  const { terminal } = world;
  terminal.out(options.output === 'json' ? findingsJson(findings) : findingLines(findings));
  if (findings.some(({ level }) => level === 'problem')) throw new InputError(tally(findings));
}
