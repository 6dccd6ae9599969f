import type { Command } from 'commander';

/** The location of a deployment. */
export interface DeploymentOptions {
  readonly stage: string;
  readonly region?: string;
}

/** Adds the options for the location of a deployment. */
export function addDeploymentOptions(command: Command): Command {
  return command
    .option('--stage <stage>', 'which deployment', 'prod')
    .option('--region <region>', 'where it runs (default: AWS_REGION, or that of the AWS profile)');
}
