import { type Command, Option } from 'commander';
import { evaluate } from './evaluate.ts';
import { noticesOf } from './notices.ts';
import { addObjectOptions, type ObjectOptions, readEvaluation } from './object-options.ts';
import { FORMATS, type Format, printObjects } from './print.ts';
import type { Terminal } from './terminal.ts';

const EXAMPLES = `
Prints every object of the WDS that Starfold owns something of, as it would be afterwards: workload
objects, CombinedStatuses, Bindings, BindingPolicies, StatusCollectors. Of Rancher Fleet's objects
(BundleDeployment, Bundle, GitRepo, HelmOp, Cluster, ClusterGroup) it prints each with its status.

Examples:
  $ starfold eval -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ starfold eval -f wds/ -f workstatuses.yaml --wds wds1 -o json
  $ starfold eval -f fleet.yaml --wec fleet-default/downstream1=downstream1.yaml
  $ kubectl --context wec1 get deployment web -n shop --show-managed-fields -o yaml | \\
      starfold eval -f wds.yaml --wec wec1=-`;

interface EvalOptions extends ObjectOptions {
  readonly output: Format;
}

async function runEval(options: EvalOptions, terminal: Terminal): Promise<void> {
  const evaluation = await readEvaluation(options, terminal);
  const evaluated = await evaluate(evaluation);
  for (const text of noticesOf(evaluation, evaluated)) terminal.notice(text);
  terminal.out(printObjects(evaluated.objects, options.output));
}

/** Adds `starfold eval`. */
export function addEvalCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('eval')
    .summary('show what Starfold would write, without writing it')
    .description('Shows what Starfold would write, without writing it.');
  addObjectOptions(command)
    .addOption(new Option('-o, --output <format>', 'format').choices(FORMATS).default('yaml'))
    .addHelpText('after', EXAMPLES)
    .action((options: EvalOptions) => runEval(options, terminal));
}
