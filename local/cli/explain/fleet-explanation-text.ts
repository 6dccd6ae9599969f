import { columnsText } from '#local/cli/terminal/columns-text.ts';
import type {
  FleetDecider,
  FleetExplanation,
  FleetFieldExplanation,
} from '#shared/core/explanation/fleet-explanation-type.ts';
import { namesText } from '#shared/core/fold/named-wecs.ts';
import { plainText } from '#shared/core/plain-text.ts';
import { valueText } from './explanation-text.ts';
import { targetsReported, waitingTargets, worstState } from './fleet-messages.ts';
import { asIfGone, decidedBy, NAMED_WECS } from './messages.ts';

/** A target: its Bundle if the object is a Cluster, otherwise its Cluster. */
function targetText(
  { workload: { kind, namespace } }: FleetExplanation,
  { wec, bundle, value }: FleetDecider,
): string {
  const id = kind === 'Cluster' ? bundle : wec;
  const own = `${namespace}/`;
  return `${id.startsWith(own) ? id.slice(own.length) : id} (${value})`;
}

function decidedByText(
  explanation: FleetExplanation,
  { decidedBy = [] }: FleetFieldExplanation,
): string {
  const texts = decidedBy.map((one) => ('all' in one ? 'all' : targetText(explanation, one)));
  return texts.join(', ');
}

function targetsLine({ wecs }: FleetExplanation): string {
  const named = (text: (names: string) => string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [text(namesText(names, names.length))];
  return [
    targetsReported(wecs.reported, wecs.qualified),
    ...named(waitingTargets, wecs.missing),
    ...named(NAMED_WECS.silent, wecs.silent),
  ].join('; ');
}

function verdictLines(explanation: FleetExplanation): readonly string[] {
  const { verdict } = explanation;
  if (verdict === undefined) return [];
  const { status, rank, message, others } = verdict;
  const rest = Object.entries(others).map(([state, count]) => `${count} ${state}`);
  const deciders = verdict.decidedBy.map((one) => targetText(explanation, one));
  return [worstState(status, rank, message), decidedBy(deciders, rest)];
}

/**
 * An explanation of one of Fleet's objects for people.
 *
 * @param columns the width in which the table fits
 */
export function fleetExplanationText(explanation: FleetExplanation, columns: number): string {
  const { workload, decision, without, fields } = explanation;
  const rows = fields.map((field) => [
    field.path,
    valueText(field.path, field.value),
    field.rule,
    decidedByText(explanation, field),
  ]);
  const table = [['FIELD', 'VALUE', 'RULE', 'DECIDED BY'], ...rows];
  const lines = [
    `${workload.kind} ${workload.namespace}/${workload.name}`,
    `${decision.action}: ${decision.reason}`,
    ...(without === undefined ? [] : [asIfGone('Clusters', without)]),
    targetsLine(explanation),
    ...verdictLines(explanation),
  ].map(plainText);
  const below = fields.length === 0 ? [] : ['', columnsText(table, columns)];
  return `${[...lines, ...below].join('\n')}\n`;
}
