import { type Command, Option } from 'commander';
import { FORMATS, type Format, textsOf } from '#local/cli/terminal/print.ts';
import { showPrinted } from '#local/cli/terminal/progress.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { filterObjects, ONLY, type Only } from './eval-filter.ts';
import { evaluate } from './evaluate.ts';
import { noticesOf } from './notices.ts';
import { addObjectOptions, type ObjectOptions, readEvaluation } from './object-options.ts';

const EXAMPLES = `
Prints every object of the WDS that Starfold owns something of, as it would be afterwards: workload
objects, CombinedStatuses, Bindings, BindingPolicies, StatusCollectors. Of Rancher Fleet's objects
(BundleDeployment, Bundle, GitRepo, HelmOp, Cluster, ClusterGroup) it prints each with its status.

Examples:
  $ starfold eval -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ starfold eval deployment/web -n shop --only combined -f wds.yaml --wec wec1=wec1.yaml
  $ starfold eval -f wds/ -f workstatuses.yaml --wds wds1 -o json
  $ starfold eval -f fleet.yaml --wec fleet-default/downstream1=downstream1.yaml
  $ kubectl --context wec1 get deployment web -n shop --show-managed-fields -o yaml | \\
      starfold eval -f wds.yaml --wec wec1=-`;

interface EvalOptions extends ObjectOptions {
  readonly output: Format;
  readonly namespace?: string;
  readonly only?: Only;
}

async function runEval(
  texts: readonly string[],
  options: EvalOptions,
  terminal: Terminal,
): Promise<void> {
  const evaluation = await readEvaluation(options, terminal);
  const evaluated = await evaluate(evaluation);
  for (const text of noticesOf(evaluation, evaluated)) terminal.notice(text);
  const { resourceOf } = evaluation.input;
  const shown = filterObjects(evaluated.objects, { ...options, texts }, resourceOf);
  let printed = 0;
  for (const text of textsOf(shown, options.output)) {
    terminal.out(text);
    await terminal.drained();
    printed += 1;
    showPrinted(terminal, { printed, of: shown.length });
  }
}

/** Adds `starfold eval`. */
export function addEvalCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('eval')
    .summary('show what Starfold would write, without writing it')
    .description('Shows what Starfold would write, without writing it.')
    .argument(
      '[object...]',
      'only these objects, as KIND/NAME, and the CombinedStatuses about them',
    );
  addObjectOptions(command)
    .addOption(new Option('-o, --output <format>', 'format').choices(FORMATS).default('yaml'))
    .option(
      '-n, --namespace <namespace>',
      'the namespace of these objects, if several have the name',
    )
    .addOption(
      new Option(
        '--only <what>',
        'only workload objects (status), CombinedStatuses (combined), or what has errors (errors)',
      ).choices(ONLY),
    )
    .addHelpText('after', EXAMPLES)
    .action((texts: readonly string[], options: EvalOptions) => runEval(texts, options, terminal));
}
