import { boundedErrors } from '#shared/core/error-list.ts';
import { NO_OBJECT } from '#shared/core/field-messages.ts';
import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { readSpec, unknownMembers } from '#shared/core/known-members.ts';
import { CONTROL_API_VERSION, FORMER_CONTROL_GROUP } from '#shared/core/kubestellar.ts';
import { generationOf, metadataFaults, metadataText, uidOf } from '#shared/core/metadata.ts';
import {
  type DownsyncModulation,
  MODULATION_MEMBERS,
  type ModulationFindings,
  mergeModulations,
  readModulation,
  readNestedCollectors,
} from './downsync-modulation.ts';
import {
  type ClauseErrors,
  type DownsyncTest,
  readDownsyncTest,
  readSelectors,
  TEST_MEMBERS,
} from './downsync-test.ts';
import type { LabelSelector } from './label-selector.ts';
import { readList } from './policy-field.ts';
import { readSilentAfter } from './silent-after.ts';

/** A clause of a BindingPolicy: which objects it selects, and what it requests for them. */
export interface PolicyClause {
  readonly test: DownsyncTest;
  readonly modulation: DownsyncModulation;
}

/** A BindingPolicy, ready to be resolved. */
export interface BindingPolicy {
  readonly name: string;
  /** `''` if no API server has seen the policy. */
  readonly uid: string;
  readonly generation: number;
  /** A WEC is selected if it matches any of these. */
  readonly clusterSelectors: readonly LabelSelector[];
  /** An object is selected if it passes the test of any of these. */
  readonly clauses: readonly PolicyClause[];
  /**
   * The value of the annotation `starfold.dev/silent-after`, in milliseconds. It applies to the Binding of the same
   * name unless that Binding has its own value. Absent if the annotation is missing or invalid.
   */
  readonly silentAfterMs?: number;
  /**
   * Each error names the field, the problem and the remedy. Beyond 100 errors, only their number is given. An invalid
   * part matches nothing. The valid parts are still used.
   */
  readonly errors: readonly string[];
  /** Outdated spellings that are still used: the field and its present spelling. */
  readonly outdated: readonly string[];
}

const SPEC_MEMBERS: ReadonlySet<string> = new Set(['clusterSelectors', 'downsync']);
const MEMBERS: ReadonlySet<string> = new Set([...TEST_MEMBERS, ...MODULATION_MEMBERS]);

function readClauseMembers(clause: JsonObject, path: string, errors: ClauseErrors): PolicyClause {
  return {
    test: readDownsyncTest(clause, path, errors),
    modulation: readModulation(clause, path, errors.clause),
  };
}

function readClause(
  value: JsonValue,
  path: string,
  findings: ModulationFindings,
): readonly PolicyClause[] {
  if (!isObject(value)) {
    findings.errors.push(`${path}: ${NO_OBJECT}`);
    return [];
  }
  const { statusCollection, ...clause } = value;
  const errors: ClauseErrors = { clause: [], selectors: [] };
  errors.clause.push(...unknownMembers(clause, path, MEMBERS));
  const { test, modulation } = readClauseMembers(clause, path, errors);
  const outdated = { errors: errors.clause, outdated: findings.outdated };
  const statusCollectors = readNestedCollectors(statusCollection, path, outdated);
  findings.errors.push(...errors.clause, ...errors.selectors);
  if (errors.clause.length > 0) return [];
  return [{ test, modulation: mergeModulations(modulation, { ...modulation, statusCollectors }) }];
}

function readGroup(policy: JsonObject, outdated: string[]): void {
  const apiVersion = policy['apiVersion'];
  if (typeof apiVersion === 'string' && apiVersion.startsWith(`${FORMER_CONTROL_GROUP}/`))
    outdated.push(`apiVersion: write ${CONTROL_API_VERSION} instead of ${apiVersion}`);
}

/**
 * Reads a BindingPolicy (KubeStellar, `BindingPolicySpec`). Errors are reported, not thrown. A selector with an error
 * matches nothing. A clause with another error or an unknown field matches nothing either, so that an unreadable part
 * never widens what matches. Older spellings are used and reported (docs/architecture.md, section 9.1).
 */
export function parseBindingPolicy(policy: JsonObject): BindingPolicy {
  const findings: ModulationFindings = { errors: [], outdated: [] };
  const { errors, outdated } = findings;
  const name = metadataText(policy, 'name');
  if (name === '') errors.push('metadata.name: give the policy a name');
  errors.push(...metadataFaults(policy));
  const { errors: faults, ...silentAfter } = readSilentAfter(policy);
  errors.push(...faults);
  readGroup(policy, outdated);
  const spec = readSpec(policy, SPEC_MEMBERS, errors);
  const selectorErrors = { clause: errors, selectors: errors };
  return {
    name,
    uid: uidOf(policy),
    generation: generationOf(policy),
    clusterSelectors: readSelectors(
      spec['clusterSelectors'],
      'spec.clusterSelectors',
      selectorErrors,
    ),
    clauses: readList(spec['downsync'], 'spec.downsync', errors).flatMap((clause, index) =>
      readClause(clause, `spec.downsync[${index}]`, findings),
    ),
    ...silentAfter,
    errors: boundedErrors(errors),
    outdated,
  };
}
