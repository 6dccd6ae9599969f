import { noneOf } from '#shared/core/field-messages.ts';
import { isObject, type JsonValue } from '#shared/core/json.ts';
import { unknownMembers } from '#shared/core/known-members.ts';
import { type Labels, labelValue } from '#shared/core/labels.ts';
import {
  NO_REQUIREMENT,
  notLabelKey,
  notLabelValue,
  valuesForbidden,
  valuesMissing,
} from './messages.ts';
import { readTexts } from './policy-field.ts';

/** One condition of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  holds(labels: Labels): boolean;
}

type Test = (value: string | undefined, wanted: ReadonlySet<string>) => boolean;

/** What each operator requires of the value of a label (Kubernetes, labels and selectors, "Set-based requirement"). */
const OPERATORS: ReadonlyMap<string, { readonly takesValues: boolean; readonly test: Test }> =
  new Map([
    [
      'In',
      { takesValues: true, test: (value, wanted) => value !== undefined && wanted.has(value) },
    ],
    [
      'NotIn',
      { takesValues: true, test: (value, wanted) => value === undefined || !wanted.has(value) },
    ],
    ['Exists', { takesValues: false, test: (value) => value !== undefined }],
    ['DoesNotExist', { takesValues: false, test: (value) => value === undefined }],
  ]);

const MEMBERS: ReadonlySet<string> = new Set(['key', 'operator', 'values']);
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAME_CHARACTERS = 63;
const PREFIX_CHARACTERS = 253;

/** Kubernetes, labels and selectors, "Syntax and character set". */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const prefix = key.slice(0, slash);
  if (slash >= 0 && !(prefix.length <= PREFIX_CHARACTERS && PREFIX.test(prefix))) return false;
  return name.length <= NAME_CHARACTERS && NAME.test(name);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Kubernetes, labels and selectors, "Syntax and character set". */
export function isLabelValue(value: JsonValue | undefined): value is string {
  if (typeof value !== 'string') return false;
  return value === '' || (value.length <= NAME_CHARACTERS && NAME.test(value));
}

function checkKey(key: string, path: string, errors: string[]): void {
  if (!isLabelKey(key)) errors.push(`${path}: ${notLabelKey(JSON.stringify(key))}`);
}

function checkValue(value: JsonValue | undefined, path: string, errors: string[]): void {
  if (!isLabelValue(value)) errors.push(`${path}: ${notLabelValue(NAME_CHARACTERS)}`);
}

/** A member of `matchLabels` as a requirement. Errors are reported in `errors`. */
export function requiredLabel(
  label: { readonly key: string; readonly value: JsonValue },
  path: string,
  errors: string[],
): LabelRequirement {
  const { key, value } = label;
  checkKey(key, path, errors);
  checkValue(value, `${path}[${JSON.stringify(key)}]`, errors);
  return { key, holds: (labels) => labelValue(labels, key) === value };
}

function readValues(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): ReadonlySet<string> {
  const texts = readTexts(value, path, errors);
  for (const [index, text] of texts.entries()) checkValue(text, `${path}[${index}]`, errors);
  return new Set(texts);
}

function checkCount(
  operator: { readonly name: string; readonly takesValues: boolean; readonly values: number },
  path: string,
  errors: string[],
): void {
  const { name, takesValues, values } = operator;
  if (takesValues && values === 0) errors.push(`${path}: ${valuesMissing(name)}`);
  if (!takesValues && values > 0) errors.push(`${path}: ${valuesForbidden(name)}`);
}

/**
 * The requirement of an element of `matchExpressions`. If an error is reported in `errors`, the requirement must not be
 * used.
 */
export function readRequirement(
  value: JsonValue,
  path: string,
  errors: string[],
): readonly LabelRequirement[] {
  if (!isObject(value)) {
    errors.push(`${path}: ${NO_REQUIREMENT}`);
    return [];
  }
  errors.push(...unknownMembers(value, path, MEMBERS));
  const key = textOf(value['key']);
  checkKey(key, `${path}.key`, errors);
  const wanted = readValues(value['values'], `${path}.values`, errors);
  const name = textOf(value['operator']);
  const operator = OPERATORS.get(name);
  if (operator === undefined) {
    errors.push(`${path}.operator: ${noneOf([...OPERATORS.keys()].join(', '))}`);
    return [];
  }
  const count = { name, takesValues: operator.takesValues, values: wanted.size };
  checkCount(count, `${path}.values`, errors);
  return [{ key, holds: (labels) => operator.test(labelValue(labels, key), wanted) }];
}
