import { nearestName } from '#shared/core/nearest-name.ts';
import {
  type ExpressionError,
  FACT_MEMBERS,
  VARIABLE_MEMBERS,
  type Variable,
  type WecFact,
} from './expression.ts';
import { noMember } from './messages.ts';
import type { Node } from './node.ts';

type Fault = Pick<ExpressionError, 'code' | 'message'> & { readonly at: number };

/** The longest name that is shown in full, in UTF-16 units. */
const MAX_SHOWN = 100;
/** Further errors are not reported. */
const MAX_FAULTS = 20;

/** A member of a variable that an expression uses. */
export interface MemberUse {
  readonly variable: string;
  readonly member: string;
  readonly at: number;
  /** Whether the expression only tests whether the member exists. */
  readonly isTest: boolean;
}

/** The member that `variable.member` or `has(variable.member)` uses, or undefined if the operand is not a variable. */
export function selectedMember(node: Extract<Node, { kind: 'select' }>): MemberUse | undefined {
  const { operand, field, at, test } = node;
  if (operand.kind !== 'ident') return undefined;
  return { variable: operand.name, member: field, at, isTest: test };
}

/** The same for `variable['member']` and `'member' in variable`. */
export function keyedMember(node: Extract<Node, { kind: 'call' }>): MemberUse | undefined {
  const isTest = node.name === '@in';
  if (!isTest && node.name !== '_[_]') return undefined;
  const [first, second] = node.args;
  const [variable, key] = isTest ? [second, first] : [first, second];
  if (variable?.kind !== 'ident' || key?.kind !== 'literal') return undefined;
  if (typeof key.value !== 'string') return undefined;
  return { variable: variable.name, member: key.value, at: node.at, isTest };
}

function faultOf({ variable, member, at }: MemberUse, known: ReadonlySet<string>): Fault {
  const shown = member.length > MAX_SHOWN ? `${member.slice(0, MAX_SHOWN)}…` : member;
  const near = nearestName(member, known);
  const remedy =
    near === undefined
      ? `use ${[...known].map((one) => `${variable}.${one}`).join(', ')}`
      : `did you mean ${variable}.${near}?`;
  const message = noMember(variable, JSON.stringify(shown), remedy);
  return { code: 'unknown-member', message, at };
}

/**
 * The uses of members that no WEC ever has, for variables with a fixed set of members. A test for such a member is a
 * fault too, because it is always false.
 */
export function unknownMemberFaults(uses: readonly MemberUse[]): readonly Fault[] {
  return uses
    .flatMap((use) => {
      const known = VARIABLE_MEMBERS.get(use.variable);
      return known === undefined || known.has(use.member) ? [] : [[use, known] as const];
    })
    .slice(0, MAX_FAULTS)
    .map(([use, known]) => faultOf(use, known));
}

/**
 * What an expression may read about a WEC that is in no row. A variable that is used by itself, as in `inventory[key]`, may be
 * read completely.
 *
 * @param mentioned how often the expression mentions each variable
 * @param uses its uses of the variables' members
 */
export function factsRead(
  mentioned: ReadonlyMap<Variable, number>,
  uses: readonly MemberUse[],
): ReadonlySet<WecFact> {
  const facts = new Set<WecFact>();
  for (const [variable, { fact, without }] of FACT_MEMBERS) {
    const harmless = uses.filter((use) => use.variable === variable && without.has(use.member));
    if ((mentioned.get(variable) ?? 0) > harmless.length) facts.add(fact);
  }
  return facts;
}
