import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';

/**
 * Why the API server would refuse a label selector, or take it for all objects, as it does an empty one; `undefined`
 * where it does neither. The syntax is that of `kubectl -l` (Kubernetes, labels and selectors, "API").
 */
export function labelSelectorFault(selector: string): string | undefined {
  const reading = parseSelectorText(selector);
  if (!reading.ok) return reading.fault;
  const { requirements } = reading;
  if (requirements.length === 0) return 'an empty one would choose every object of the cluster';
  // To the API server a list of one value, which is empty: hardly what is meant.
  const bare = requirements.find(({ text }) => /\(\s*\)$/.test(text));
  return bare && `${bare.text} is no requirement`;
}
