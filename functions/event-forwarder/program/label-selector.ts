import { isLabelKey, isLabelValue } from '#shared/core/binding/label-requirement.ts';

const KEY = '[^\\s!=<>(),]+';
const SET = new RegExp(`^(${KEY})\\s+(?:in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^(${KEY})\\s*(?:==|=|!=)\\s*([^\\s!=<>(),]*)$`);
const COMPARISON = new RegExp(`^(${KEY})\\s*[<>]\\s*\\d+$`);
const PRESENCE = new RegExp(`^!?\\s*(${KEY})$`);

/** Key and values of a requirement; `undefined` where it is none. */
function partsOf(
  requirement: string,
): { readonly key: string; readonly values: readonly string[] } | undefined {
  const [, setKey, list = ''] = SET.exec(requirement) ?? [];
  if (setKey !== undefined)
    return list.trim() === ''
      ? undefined
      : { key: setKey, values: list.split(',').map((value) => value.trim()) };
  const [, key, value] = EQUALITY.exec(requirement) ?? [];
  if (key !== undefined && value !== undefined) return { key, values: [value] };
  const [, alone] = COMPARISON.exec(requirement) ?? PRESENCE.exec(requirement) ?? [];
  return alone === undefined ? undefined : { key: alone, values: [] };
}

function requirementFault(requirement: string): string | undefined {
  if (requirement === '') return 'a requirement is empty';
  const parts = partsOf(requirement);
  if (parts === undefined) return `${requirement} is no requirement`;
  if (!isLabelKey(parts.key)) return `${parts.key} cannot be the key of a label`;
  const bad = parts.values.find((value) => !isLabelValue(value));
  return bad === undefined ? undefined : `${bad} cannot be the value of a label`;
}

/**
 * Why the API server would refuse a label selector, or take it for all objects, as it does an empty one; `undefined`
 * where it does neither. The syntax is that of `kubectl -l` (Kubernetes, labels and selectors, "API").
 */
export function labelSelectorFault(selector: string): string | undefined {
  if (selector.trim() === '') return 'an empty one would choose every object of the cluster';
  // At commas outside of parentheses.
  const requirements = selector.split(/,(?![^(]*\))/).map((part) => part.trim());
  return requirements.map(requirementFault).find((fault) => fault !== undefined);
}
