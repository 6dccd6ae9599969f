import { type Labels, labelValue } from '#shared/core/labels.ts';
import { isLabelKey, isLabelValue } from './label-requirement.ts';
import {
  EMPTY_REQUIREMENT,
  noRequirementText,
  notLabelKey,
  notSelectableValue,
} from './messages.ts';

/** One requirement of a label selector in kubectl's syntax. */
export interface SelectorRequirement {
  /** The text as the user wrote it. */
  readonly text: string;
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  /**
   * `In` and `NotIn` have at least one value, which may be empty. `Gt` and `Lt` have one integer. The other operators
   * have none.
   */
  readonly values: readonly string[];
}

/** The requirements of a label selector, or its first error. A selector without requirements matches all objects. */
export type SelectorTextReading =
  | { readonly ok: true; readonly requirements: readonly SelectorRequirement[] }
  | { readonly ok: false; readonly fault: string };

const WORD = '[^\\s!=<>(),]';
const KEY = `(?<key>${WORD}+)`;
const FORMS: readonly RegExp[] = [
  new RegExp(`^${KEY}\\s+(?<sign>in|notin)\\s*\\((?<values>[^()]*)\\)$`),
  new RegExp(`^${KEY}\\s*(?<sign>==|=|!=)\\s*(?<values>${WORD}*)$`),
  new RegExp(`^${KEY}\\s*(?<sign>[<>])\\s*(?<values>\\d+)$`),
  new RegExp(`^(?<sign>!?)\\s*${KEY}$`),
];

const OPERATORS: ReadonlyMap<string, SelectorRequirement['operator']> = new Map([
  ['in', 'In'],
  ['=', 'In'],
  ['==', 'In'],
  ['notin', 'NotIn'],
  ['!=', 'NotIn'],
  ['>', 'Gt'],
  ['<', 'Lt'],
  ['', 'Exists'],
  ['!', 'DoesNotExist'],
]);

const LARGEST_BOUND = 2n ** 63n - 1n;

function isBound(text: string): boolean {
  return BigInt(text) <= LARGEST_BOUND;
}

function parseRequirement(text: string): SelectorRequirement | undefined {
  const groups = FORMS.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  const key = groups?.['key'];
  const operator = OPERATORS.get(groups?.['sign'] ?? '');
  if (key === undefined || operator === undefined) return undefined;
  const values = groups?.['values']?.split(',').map((value) => value.trim()) ?? [];
  if ((operator === 'Gt' || operator === 'Lt') && !values.every(isBound)) return undefined;
  return { text, key, operator, values };
}

/** The requirement that a text contains, or an error. */
function requirementOf(text: string): SelectorRequirement | string {
  if (text === '') return EMPTY_REQUIREMENT;
  const requirement = parseRequirement(text);
  if (requirement === undefined) return noRequirementText(text);
  if (!isLabelKey(requirement.key)) return notLabelKey(requirement.key);
  const bad = requirement.values.find((value) => !isLabelValue(value));
  return bad === undefined ? requirement : notSelectableValue(bad);
}

/**
 * Reads a label selector in the syntax of `kubectl -l`: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`,
 * `!a`, `a>1`, `a<1`, joined by commas. What an API server rejects is an error: an empty requirement, and a negative
 * bound, because no label has such a value (k8s.io/apimachinery, labels.Parse).
 */
export function parseSelectorText(selector: string): SelectorTextReading {
  if (selector.trim() === '') return { ok: true, requirements: [] };
  // Split at commas outside of parentheses.
  const texts = selector.split(/,(?![^(]*\))/).map((part) => part.trim());
  const requirements: SelectorRequirement[] = [];
  for (const text of texts) {
    const requirement = requirementOf(text);
    if (typeof requirement === 'string') return { ok: false, fault: requirement };
    requirements.push(requirement);
  }
  return { ok: true, requirements };
}

const NUMBER = /^\d+$/;

/** Whether the value of a label meets a requirement. `undefined` is a missing label. */
function holds({ operator, values }: SelectorRequirement, value: string | undefined): boolean {
  const [bound = ''] = values;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && NUMBER.test(value) && BigInt(value) > BigInt(bound);
    case 'Lt':
      return value !== undefined && NUMBER.test(value) && BigInt(value) < BigInt(bound);
  }
}

/** Whether labels meet all requirements of a selector. */
export function matchesRequirements(
  requirements: readonly SelectorRequirement[],
  labels: Labels,
): boolean {
  return requirements.every((requirement) =>
    holds(requirement, labelValue(labels, requirement.key)),
  );
}
