import { RefusedError } from '#local/cli/door/ask-json.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { notFound } from './messages.ts';
import { type Asked, type Asking, hasAny, resolveWanted, type Selecting } from './request.ts';
import { unknownWord } from './unknown-word.ts';
import type { ReportsOf } from './wanted.ts';

/** What is said of an object that is not there, with the reason. */
export function notFoundText({ title = '', hint = '' }: Pick<Asked, 'title' | 'hint'>): string {
  return notFound(title, hint);
}

/** The error of a word that names no resource. Undefined if it may name one. */
export function wordFault(
  asking: Asking,
  { word, name }: ReportsOf,
): Promise<InputError | undefined> {
  return unknownWord(asking, word, name === undefined ? word : `${word}/${name}`);
}

/**
 * Why a command has found nothing about the objects that its command line names, as `starfold get` says it: the word names no
 * resource, or there is no object of that name. Undefined if neither is so, or if the reader may not know.
 */
export async function whyNothing(
  asking: Asking,
  wanted: ReportsOf,
  selecting: Selecting,
): Promise<InputError | undefined> {
  const silent = { ...asking, onWarning: () => undefined };
  try {
    const fault = await wordFault(silent, wanted);
    if (fault !== undefined || wanted.name === undefined) return fault;
    const asked = await resolveWanted(silent, wanted, selecting);
    return (await hasAny(silent, asked)) ? undefined : new InputError(notFoundText(asked));
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}
