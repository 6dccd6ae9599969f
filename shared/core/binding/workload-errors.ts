import { boundedErrors } from '#shared/core/error-list.ts';
import { parseWorkloadKey, workloadTitle } from '#shared/core/workload.ts';
import { wrongWecs } from './messages.ts';

/**
 * An error of one workload object of a Binding: a text, or the number of WECs if singleton status is requested and that
 * number is not one.
 */
export type WorkloadError = string | { readonly singletonWecs: number };

/** A workload object, by the key that `workloadKey` makes, with its errors. */
export interface ErrorsOfWorkload {
  readonly workload: string;
  readonly errors: readonly WorkloadError[];
}

/** At most this many workload objects are named as examples. */
const MAX_EXAMPLES = 4;

function singletonText(examples: readonly string[]): string {
  const named = examples.slice(0, MAX_EXAMPLES).join(', ');
  const others = examples.length - MAX_EXAMPLES;
  const more = others > 0 ? ` and ${others} more` : '';
  return wrongWecs(`${named}${more}`);
}

/**
 * The entries in `status.errors` of a Binding about its workload objects. The first text names the objects that go to
 * the wrong number of WECs, with at most 4 examples (KubeStellar, `BindingPolicy.status.errors`). The other texts
 * follow in the order of the objects. Beyond 100 texts, only their number is given.
 */
export function workloadErrorTexts(entries: Iterable<ErrorsOfWorkload>): readonly string[] {
  const wrong: string[] = [];
  const texts: string[] = [];
  for (const { workload, errors } of entries)
    for (const error of errors) {
      if (typeof error === 'string') texts.push(error);
      else wrong.push(`${workloadTitle(parseWorkloadKey(workload))} (${error.singletonWecs})`);
    }
  return boundedErrors(wrong.length > 0 ? [singletonText(wrong), ...texts] : texts);
}
