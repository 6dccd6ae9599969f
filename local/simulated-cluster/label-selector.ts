import { badRequest } from '#shared/api/status-error.ts';
import {
  matchesRequirements,
  parseSelectorText,
} from '#shared/core/binding/label-selector-text.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { labelsOf } from '#shared/core/labels.ts';

/**
 * Compiles a label selector in the syntax of `kubectl -l`.
 *
 * @returns whether an object is selected
 * @throws StatusError 400 if an API server rejects the selector
 */
export function compileLabelSelector(selector: string): (object: JsonObject) => boolean {
  const reading = parseSelectorText(selector);
  if (!reading.ok) throw badRequest(`unable to parse requirement: ${reading.fault}`);
  return (object) => matchesRequirements(reading.requirements, labelsOf(object));
}
