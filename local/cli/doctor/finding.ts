import { explainFault } from '#local/cli/deployment/fault.ts';
import { plainJson, styled } from '#local/cli/deployment/lines.ts';
import { prettyJson } from '#local/cli/terminal/print.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { plainText } from '#shared/core/plain-text.ts';
import type { Advice } from './messages.ts';
import { problemCount } from './stack-messages.ts';

/** How serious a finding is. A problem needs action, a warning may need action. */
export type Level = 'ok' | 'warning' | 'problem';

/** The checks, in the order in which they run and are shown. */
export type Check =
  | 'credentials'
  | 'stack'
  | 'functions'
  | 'queues'
  | 'dead letters'
  | 'sources'
  | 'Bindings'
  | 'subjects'
  | 'WDSes'
  | 'Fleet';

/** The result of a check. */
export interface Finding {
  readonly check: Check;
  readonly level: Level;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

const STYLES = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const LEVEL_WIDTH = 'problem'.length;
const CHECK_WIDTH = 'dead letters'.length;

/** A finding without a problem. */
export function ok(check: Check, message: string): Finding {
  return { check, level: 'ok', message };
}

/** A finding that may need action. */
export function warning(check: Check, { message, remedy }: Advice): Finding {
  return { check, level: 'warning', message, remedy };
}

/** A finding that needs action. */
export function problem(check: Check, { message, remedy }: Advice): Finding {
  return { check, level: 'problem', message, remedy };
}

/**
 * Runs a check. A problem with AWS becomes its finding.
 * @throws what is a bug of the program
 */
export async function attempt(
  check: Check,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    const message = explainFault(error);
    if (message === undefined) throw error;
    return [{ check, level: 'problem', message }];
  }
}

/** The findings for users: a line for each, and one for its remedy. */
export function findingLines(findings: readonly Finding[]): string {
  const indent = ' '.repeat(LEVEL_WIDTH + CHECK_WIDTH + 4);
  const lines = findings.flatMap(({ check, level, message, remedy }) => {
    const head = `${styled(STYLES[level], level.padEnd(LEVEL_WIDTH))}  ${check.padEnd(CHECK_WIDTH)}`;
    const first = `${head}  ${plainText(message)}\n`;
    return remedy === undefined ? [first] : [first, `${indent}${plainText(`-> ${remedy}`)}\n`];
  });
  return lines.join('');
}

/** The findings for programs. */
export function findingsJson(findings: readonly Finding[]): string {
  const items = findings.map((finding): JsonObject => ({ ...finding }));
  return plainJson(`${prettyJson({ findings: items })}\n`);
}

/** The number of problems and warnings, as text. */
export function tally(findings: readonly Finding[]): string {
  const number = (level: Level): number =>
    findings.filter((finding) => finding.level === level).length;
  return problemCount(number('problem'), number('warning'));
}
