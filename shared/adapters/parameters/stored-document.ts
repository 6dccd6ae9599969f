import { StoredDocumentError } from '#shared/errors.ts';
import { parsePlaceText } from './kubeconfig-places.ts';
import { readFaultOf } from './read-fault.ts';
import { createReaders, placeInWords, type ReaderOptions } from './readers.ts';

/** A text in Secrets Manager or Parameter Store. */
export interface StoredDocument {
  /** Where it is, for errors. */
  readonly place: string;
  /**
   * Reads the text. It is cached for 5 minutes.
   *
   * @throws StoredDocumentError with the place, the fault and the remedy
   */
  read(): Promise<string>;
}

/**
 * Creates the reader of a text at `ssm:<name>` or `secretsmanager:<ARN or name>`.
 *
 * @param title what the text is, for errors
 * @throws StoredDocumentError if the place has another form
 */
export function createStoredDocument(
  title: string,
  text: string,
  options: ReaderOptions = {},
): StoredDocument {
  const place = parsePlaceText(text);
  if (typeof place === 'string') throw new StoredDocumentError({ title, place: text }, place);
  const read = createReaders(options)(place);
  const words = placeInWords(place, options.region);
  const refusal = (fault: string, cause?: unknown): StoredDocumentError =>
    new StoredDocumentError({ title, place: words }, fault, { cause });
  return {
    place: words,
    async read() {
      let value: string | Uint8Array | undefined;
      try {
        value = await read(place.id, false);
      } catch (error) {
        throw refusal(readFaultOf(error, place).faultAndRemedy, error);
      }
      if (typeof value === 'string' && value.trim() !== '') return value;
      throw refusal(`there is no text in it: store the ${title} there as text`);
    },
  };
}
