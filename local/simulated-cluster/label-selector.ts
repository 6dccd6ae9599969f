import {
  parseSelectorText,
  type SelectorRequirement,
} from '#shared/core/binding/label-selector-text.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { badRequest } from './status-error.ts';

/** Tests the value of a label, or `undefined` if the label is missing. */
type ValueTest = (value: string | undefined) => boolean;

function numberTest(holds: (number: bigint) => boolean): ValueTest {
  return (value) => value !== undefined && /^\d+$/.test(value) && holds(BigInt(value));
}

function valueTest({ operator, values }: SelectorRequirement): ValueTest {
  const [bound = ''] = values;
  switch (operator) {
    case 'In':
      return (value) => value !== undefined && values.includes(value);
    case 'NotIn':
      return (value) => value === undefined || !values.includes(value);
    case 'Exists':
      return (value) => value !== undefined;
    case 'DoesNotExist':
      return (value) => value === undefined;
    case 'Gt':
      return numberTest((number) => number > BigInt(bound));
    case 'Lt':
      return numberTest((number) => number < BigInt(bound));
  }
}

/**
 * Compiles a label selector in the syntax of `kubectl -l`.
 *
 * @returns whether an object is selected
 * @throws StatusError 400 if an API server rejects the selector
 */
export function compileLabelSelector(selector: string): (object: JsonObject) => boolean {
  const reading = parseSelectorText(selector);
  if (!reading.ok) throw badRequest(`unable to parse requirement: ${reading.fault}`);
  const tests = reading.requirements.map((requirement) => ({
    key: requirement.key,
    holds: valueTest(requirement),
  }));
  return (object) => {
    const labels = at(object, 'metadata', 'labels');
    return tests.every(({ key, holds }) => {
      const value = at(labels, key);
      return holds(typeof value === 'string' ? value : undefined);
    });
  };
}
