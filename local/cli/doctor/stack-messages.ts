import { counted } from '#shared/core/counted.ts';
import type { Advice } from './messages.ts';

// What doctor says of the credentials, the stack and its functions, and at its end.

/** The operator names no region, and perhaps has no AWS. `aws` is the remedy for those who have it. */
export function noAws(aws: string): Advice {
  return {
    message:
      'starfold doctor checks a deployment on AWS. For an installation without AWS, starfold get wecs --state FILE (the state of starfold start), or --kubeconfig FILE (its API), shows which WECs report',
    remedy: `for a deployment on AWS: ${aws}`,
  };
}

/** The operator has credentials that AWS accepts. */
export function credentialsInUse(arn: string, region: string): string {
  return `${arn} in ${region}`;
}

function because(reason: string): string {
  return reason === '' ? '' : ` (${reason})`;
}

/** The stage has a stack. `reason` is CloudFormation's, `''` if there is none; `since` is a time. */
export function stackState(
  name: string,
  { status, reason }: { readonly status: string; readonly reason: string },
  since: string,
): string {
  return `${name} is ${status} since ${since}${because(reason)}`;
}

const EVENTS = 'the events of the stack in the CloudFormation console give the reason';

/** What an operator does about a stack that is not complete. */
export const STACK_REMEDIES = {
  changing: 'it is being changed: wait until that is done',
  rolledBack: `the last update failed, and it runs as before; ${EVENTS}`,
  incomplete: `it is not complete; ${EVENTS}; then deploy it again`,
} as const;

/** What an operator does about a function that is not ready. */
export const FUNCTION_REMEDIES = {
  deploy: 'deploy it again (npm run serverless deploy)',
  preparing: 'it is being prepared: wait a minute',
} as const;

/** The stack does not have a function that it should have. */
export function functionMissing(name: string): Advice {
  return { message: `${name} is missing`, remedy: FUNCTION_REMEDIES.deploy };
}

/** What Lambda says of a function. Each is `''` if it is not known. */
interface FunctionTold {
  readonly state: string;
  readonly lastUpdate: string;
  readonly changed: string;
  readonly reason: string;
}

/** The stack has a function. */
export function functionReport(name: string, told: FunctionTold): string {
  const { state, lastUpdate, changed, reason } = told;
  return `${name} is ${state || 'in an unknown state'}, last update ${lastUpdate || 'unknown'}, changed ${changed}${because(reason)}`;
}

/** The command has found problems and warnings. */
export function problemCount(problems: number, warnings: number): string {
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`;
}
