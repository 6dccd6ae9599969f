import { at, type JsonObject } from '#shared/core/json.ts';
import { badRequest } from './status-error.ts';

/** Decides over the labels of an object. */
type LabelTest = (label: (key: string) => string | undefined) => boolean;

const SET = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const EQUALITY = /^([^\s!=]+)\s*(==|=|!=)\s*([^\s=!]*)$/;
const PRESENCE = /^(!?)\s*([^\s!=<>(),]+)$/;
const COMPARISON = /^([^\s!=<>]+)\s*(<|>)\s*(-?\d+)$/;

/** Splits at commas outside of parentheses. */
function requirementsOf(selector: string): readonly string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function setTest(key: string, operator: string, list: string): LabelTest {
  const values = new Set(list.split(',').map((value) => value.trim()));
  return (label) => {
    const value = label(key);
    const within = value !== undefined && values.has(value);
    return operator === 'in' ? within : !within;
  };
}

function comparisonTest(key: string, operator: string, bound: string): LabelTest {
  return (label) => {
    const value = label(key);
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return operator === '>' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
  };
}

function testOf(requirement: string): LabelTest {
  const set = SET.exec(requirement);
  if (set) return setTest(set[1] ?? '', set[2] ?? '', set[3] ?? '');
  const comparison = COMPARISON.exec(requirement);
  if (comparison)
    return comparisonTest(comparison[1] ?? '', comparison[2] ?? '', comparison[3] ?? '');
  const equality = EQUALITY.exec(requirement);
  if (equality) {
    const [, key = '', operator, wanted] = equality;
    return (label) => (label(key) === wanted) !== (operator === '!=');
  }
  const presence = PRESENCE.exec(requirement);
  if (presence) {
    const [, not, key = ''] = presence;
    return (label) => (label(key) === undefined) === (not === '!');
  }
  throw badRequest(`unable to parse requirement: ${requirement}`);
}

/**
 * Compiles a label selector as `kubectl -l` takes it: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`,
 * `a>1`, `a<1`, joined by commas.
 *
 * @returns whether an object is selected.
 * @throws StatusError 400 when it cannot be parsed.
 */
export function compileLabelSelector(selector: string): (object: JsonObject) => boolean {
  const tests = requirementsOf(selector).map(testOf);
  if (tests.length === 0) return () => true;
  return (object) => {
    const labels = at(object, 'metadata', 'labels');
    const label = (key: string): string | undefined => {
      const value = at(labels, key);
      return typeof value === 'string' ? value : undefined;
    };
    return tests.every((test) => test(label));
  };
}
