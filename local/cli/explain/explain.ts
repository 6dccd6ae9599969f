import { type Command, Option } from 'commander';
import { explained } from '#local/cli/deployment/fault.ts';
import { warning } from '#local/cli/door/messages.ts';
import { addDoorOptions, type DoorOptions, withDefaultDoor } from '#local/cli/door/options.ts';
import { type Evaluated, evaluate } from '#local/cli/eval/evaluate.ts';
import { noticesOf } from '#local/cli/eval/notices.ts';
import { type ObjectOptions, readEvaluation } from '#local/cli/eval/object-options.ts';
import type { GivenWorkload } from '#local/cli/input/given-workload.ts';
import { type NamedObject, namedObject } from '#local/cli/input/named-object.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { fleetTargets } from '#shared/core/desired/desired-fleet.ts';
import { destinationsOf } from '#shared/core/desired/membership.ts';
import { type Explanation, explainWorkload } from '#shared/core/explanation/explanation.ts';
import { explainFleetObject } from '#shared/core/explanation/fleet-explanation.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { explanationText } from './explanation-text.ts';
import { fleetExplanationText } from './fleet-explanation-text.ts';
import { unknownWec } from './messages.ts';
import { OUTPUTS, type Output, type Printing, printedExplanation } from './print-explanation.ts';

const EXAMPLES = `
For each field of .status it prints the value, the rule (docs/rules.md has what each name means) and the
WECs that decide. If only these WECs were the destinations, the field would have the same value. "all" are
rules that need every WEC ("all say True"), and values that no smaller choice of WECs gives.

Without -f, it asks a server of the API, or reads a state file (--state) or a deployment on AWS (--stage).

Examples:
  $ starfold explain deployment/web -n shop
  $ starfold explain deployment/web -n shop -f wds.yaml --wec wec1=wec1.yaml --wec wec2=wec2.yaml
  $ starfold explain deployments.apps/web -f wds/ --field availableReplicas
  $ starfold explain deployment/web -n shop -o wide
  $ starfold explain job/migrate -n shop -f wds.yaml --wec wec1=wec1.yaml --without wec1 -o yaml`;

interface ExplainOptions extends DoorOptions {
  readonly namespace?: string;
  readonly field?: string;
  readonly without?: readonly string[];
  readonly output: Output;
}

function collectNames(value: string, before: readonly string[] = []): readonly string[] {
  return [...new Set([...before, ...value.split(',')])];
}

/** @throws InputError if a WEC does not qualify for the object */
function checkWithout(without: readonly string[], qualified: readonly string[]): void {
  for (const wec of without)
    if (!qualified.includes(wec))
      throw new InputError(unknownWec(wec, qualified, nearestName(wec, qualified)));
}

function explanationOf(
  { membership, silentBeyond }: Evaluated,
  workload: GivenWorkload,
  without: readonly string[],
): Explanation {
  return explainWorkload({
    workload,
    membership,
    silent: silentBeyond(),
    silentFor: (silenceMs) => new Set(silentBeyond(silenceMs).keys()),
    without,
  });
}

/** An object that can be explained. */
interface Explainable extends NamedObject {
  /** The WECs, or the Clusters of Fleet, that can be left out. */
  wecs(): readonly string[];
  /** What is printed. */
  print(options: Required<Pick<ExplainOptions, 'without'>> & Printing): string;
}

function explainableWorkloads(evaluated: Evaluated): readonly Explainable[] {
  return evaluated.workloads.map((workload) => ({
    ...workload.ref,
    kind: workload.given.kind,
    wecs: () => destinationsOf(evaluated.membership, workload.ref),
    print: (options) =>
      printedExplanation(
        explanationOf(evaluated, workload, options.without),
        explanationText,
        options,
      ),
  }));
}

/** The objects of Fleet whose status is computed from others. */
function explainableFleet({ fleet }: Evaluated, nowMs: number): readonly Explainable[] {
  const { given } = fleet;
  return given
    .filter(({ group, kind }) => group === FLEET_GROUP && kind !== 'BundleDeployment')
    .map((one) => ({
      ...{ group: one.group, resource: kindPlural(one.group, one.kind), kind: one.kind },
      ...{ namespace: one.namespace, name: one.name },
      wecs: () => [...new Set(fleetTargets(given, one, nowMs).rows.map(({ cluster }) => cluster))],
      print: (options) => {
        const { without } = options;
        const explanation = explainFleetObject({ objects: given, one, nowMs, without });
        return printedExplanation(explanation, fleetExplanationText, options);
      },
    }));
}

async function explainFiles(
  text: string,
  options: ExplainOptions & ObjectOptions,
  terminal: Terminal,
): Promise<void> {
  const evaluation = await readEvaluation(options, terminal);
  const evaluated = await evaluate(evaluation);
  const { namespace, field, without = [], output } = options;
  const wanted = { text, ...(namespace === undefined ? {} : { namespace }) };
  const objects = [
    ...explainableWorkloads(evaluated),
    ...explainableFleet(evaluated, evaluation.nowMs),
  ];
  const object = namedObject(objects, wanted);
  if (without.length > 0) checkWithout(without, object.wecs());
  const { columns } = terminal;
  const printed = object.print({
    without,
    columns,
    output,
    ...(field === undefined ? {} : { field }),
  });
  for (const notice of noticesOf(evaluation, evaluated)) terminal.notice(notice);
  terminal.out(printed);
}

async function explainByDoor(
  text: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const { openDoor } = await import('#local/cli/door/open-door.ts');
  const { explanationByDoor } = await import('./explain-by-door.ts');
  const door = await openDoor(withDefaultDoor(options), terminal);
  try {
    const onWarning = (text: string): void => terminal.notice(warning(text));
    const explanation = await explanationByDoor({ door, onWarning }, { ...options, text });
    const { columns } = terminal;
    terminal.out(printedExplanation(explanation, explanationText, { ...options, columns }));
  } finally {
    await door.close();
  }
}

/** Of files, Fleet's objects are explained as well, of which the API knows nothing. */
async function runExplain(
  text: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const { filename } = options;
  if (filename === undefined) await explainByDoor(text, options, terminal);
  else await explainFiles(text, { ...options, filename }, terminal);
}

/** Adds `starfold explain`. */
export function addExplainCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('explain')
    .summary('show which rule and which WECs give each field of a status')
    .description('Shows which rule and which WECs give each field of the status of an object.')
    .argument('<object>', 'the object as KIND/NAME, such as deployment/web');
  addDoorOptions(command)
    .option('-n, --namespace <namespace>', 'the namespace of the object, if several have this name')
    .option('--field <path>', 'only this field of .status, and what lies below it')
    .option(
      '--without <wec>',
      'what the status would be if these WECs were gone; repeatable, or separated by commas',
      collectNames,
    )
    .addOption(new Option('-o, --output <format>', 'format').choices(OUTPUTS).default('table'))
    .addHelpText('after', EXAMPLES)
    .action((text: string, options: ExplainOptions) =>
      explained(() => runExplain(text, options, terminal)),
    );
}
