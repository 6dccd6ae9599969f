import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import { noRequirementText } from '#shared/core/binding/messages.ts';
import { EVERY_OBJECT } from './config-messages.ts';

/**
 * The reason why the API server would reject a label selector, or would select all objects with it, as with an empty one.
 * `undefined` if neither is the case. The syntax is that of `kubectl -l` (Kubernetes, labels and selectors, "API").
 */
export function labelSelectorFault(selector: string): string | undefined {
  const reading = parseSelectorText(selector);
  if (!reading.ok) return reading.fault;
  const { requirements } = reading;
  if (requirements.length === 0) return EVERY_OBJECT;
  // To the API server this is a list with one empty value, which is hardly intended.
  const bare = requirements.find(({ text }) => /\(\s*\)$/.test(text));
  return bare && noRequirementText(bare.text);
}
