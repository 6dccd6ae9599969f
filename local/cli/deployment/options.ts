import type { Command } from 'commander';

/** Where a deployment is. */
export interface DeploymentOptions {
  readonly stage: string;
  readonly region?: string;
}

/** Adds the options that say where a deployment is. */
export function addDeploymentOptions(command: Command): Command {
  return command
    .option('--stage <stage>', 'which deployment', 'prod')
    .option('--region <region>', 'where it runs (default: AWS_REGION, or that of the AWS profile)');
}
