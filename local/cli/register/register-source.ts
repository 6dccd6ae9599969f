import { InvalidArgumentError } from 'commander';
import type { Account, PrincipalName } from '#local/cli/deployment/account.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { parseSourceText, principalOf } from '#shared/state/senders.ts';
import {
  isAccount,
  isSession,
  NO_PRINCIPAL,
  NOT_A_SOURCE,
  notAnArn,
  notAnId,
  notInAccount,
  TWO_PRINCIPALS,
} from './principal-messages.ts';

/** The principal, by ARN or by unique identifier. */
export interface PrincipalOptions {
  readonly role?: string;
  readonly principal?: string;
}

/** A principal as it is registered. */
export interface NamedPrincipal {
  readonly principal: string;
  readonly arn?: string;
}

interface ParsedArn extends PrincipalName {
  readonly account: string;
  /** Whether IAM has the same ARN for it. This is not so for a session. */
  readonly isOwn: boolean;
}

/** IAM User Guide, "IAM identifiers". A role and a user may have a path before the name. */
const ARN = /^arn:aws[\w-]*:(?:iam|sts)::(\d{12}):(role|user|assumed-role)\/(\S+)$/;
/** In the form of IAM or, for a session, of SQS: followed by the name of the session. */
const ID = /^(?!arn:)[\w-]+(?::\S+)?$/;

/**
 * Reads `wec/NAME`, `wds/NAME`, `fleet/NAME` or `wec/*`, which means every WEC.
 * @throws InvalidArgumentError
 */
export function parseSource(text: string): EventSource {
  const source = parseSourceText(text);
  if (source === undefined) throw new InvalidArgumentError(NOT_A_SOURCE);
  return source;
}

function parseArn(text: string): ParsedArn {
  const [, account = '', type, rest = ''] = ARN.exec(text) ?? [];
  const parts = rest.split('/');
  const name = type === 'assumed-role' ? parts[0] : parts.at(-1);
  if (type === undefined || name === undefined || name === '') throw new UsageError(notAnArn(text));
  return { account, type: type === 'user' ? 'user' : 'role', name, isOwn: type !== 'assumed-role' };
}

async function lookUp(account: Account, text: string): Promise<NamedPrincipal> {
  const arn = parseArn(text);
  const found = await account.principal(arn);
  if (found !== undefined && (!arn.isOwn || found.arn === text))
    return { principal: found.id, arn: found.arn };
  throw new InputError(notInAccount(text, arn));
}

/**
 * Rejects options that name no principal, or that name one twice.
 * @throws UsageError
 */
export function checkPrincipalOptions(options: PrincipalOptions, isNeeded: boolean): void {
  const { role, principal } = options;
  if (role !== undefined && principal !== undefined) throw new UsageError(TWO_PRINCIPALS);
  if (isNeeded && role === undefined && principal === undefined) throw new UsageError(NO_PRINCIPAL);
  if (role !== undefined) parseArn(role);
  if (principal !== undefined && !ID.test(principal)) throw new UsageError(notAnId(principal));
}

/** The identifier that SQS has for a federated user and for the root user: the number of the account. */
const ACCOUNT = /^\d{12}$/;

/**
 * Rejects a principal that covers more identities than it appears to, if it is to be registered.
 *
 * @throws UsageError
 */
export function checkBreadth({ principal = '' }: PrincipalOptions): void {
  const whole = principalOf(principal);
  if (ACCOUNT.test(whole)) throw new UsageError(isAccount(principal, whole));
  if (whole !== principal) throw new UsageError(isSession(principal, whole));
}

/**
 * The principal that the options name, or `undefined` if they name none.
 *
 * @throws InputError if the account has no such role or user; what the account throws
 */
export async function findPrincipal(
  account: Account,
  { role, principal }: PrincipalOptions,
): Promise<NamedPrincipal | undefined> {
  if (role !== undefined) return lookUp(account, role);
  return principal === undefined ? undefined : { principal: principalOf(principal) };
}

/** A principal as text. */
export function principalText({ principal, arn }: NamedPrincipal): string {
  return arn === undefined ? principal : `${principal} (${arn})`;
}

/** A line about a source: `wec/cluster1: ...`. */
export function sourceLine(source: EventSource, text: string): string {
  return `${sourceText(source)}: ${text}\n`;
}
