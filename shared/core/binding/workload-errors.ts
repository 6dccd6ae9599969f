import { boundedErrors } from '#shared/core/error-list.ts';
import { parseWorkloadKey, workloadTitle } from '#shared/core/workload.ts';

/**
 * What is wrong with one workload object of a Binding: a text, or that singleton status is wanted back from another
 * number of WECs than one.
 */
export type WorkloadError = string | { readonly singletonWecs: number };

/** A workload object, by the key that `workloadKey` makes, with what is wrong with it. */
export interface ErrorsOfWorkload {
  readonly workload: string;
  readonly errors: readonly WorkloadError[];
}

/** So many workload objects are named as examples. */
const MAX_EXAMPLES = 4;

function singletonText(examples: readonly string[]): string {
  const named = examples.slice(0, MAX_EXAMPLES).join(', ');
  const others = examples.length - MAX_EXAMPLES;
  const more = others > 0 ? ` and ${others} more` : '';
  return `Singleton reported status return is requested but some objects have the wrong number of associated WECs, for example: ${named}${more}; send each to exactly one WEC, or ask for wantMultiWECReportedState`;
}

/**
 * What `status.errors` of a Binding says of its workload objects: the texts in the order of the objects, beyond 100 their
 * number alone; first, in one text with at most 4 examples, which objects go to the wrong number of WECs (KubeStellar,
 * `BindingPolicy.status.errors`).
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
