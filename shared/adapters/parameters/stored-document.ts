import { StoredDocumentError } from '#shared/errors.ts';
import { parseLocationText } from './kubeconfig-locations.ts';
import { noText } from './messages.ts';
import { readFaultOf } from './read-fault.ts';
import { createReaders, locationText, type ReaderOptions } from './readers.ts';

/** A text in Secrets Manager or Parameter Store. */
export interface StoredDocument {
  /** Where it is, for errors. */
  readonly place: string;
  /**
   * Reads the text. It is cached for 5 minutes.
   *
   * @throws StoredDocumentError with the location, the fault and the remedy
   */
  read(): Promise<string>;
}

/**
 * Creates the reader of a text at `ssm:<name>` or `secretsmanager:<ARN or name>`.
 *
 * @param title what the text is, for errors
 * @throws StoredDocumentError if the location has another form
 */
export function createStoredDocument(
  title: string,
  text: string,
  options: ReaderOptions = {},
): StoredDocument {
  const parsedLocation = parseLocationText(text);
  if (typeof parsedLocation === 'string')
    throw new StoredDocumentError({ title, location: text }, parsedLocation);
  const read = createReaders(options)(parsedLocation);
  const words = locationText(parsedLocation, options.region);
  const refusal = (fault: string, cause?: unknown): StoredDocumentError =>
    new StoredDocumentError({ title, location: words }, fault, { cause });
  return {
    place: words,
    async read() {
      let value: string | Uint8Array | undefined;
      try {
        value = await read(parsedLocation.id, false);
      } catch (error) {
        throw refusal(readFaultOf(error, parsedLocation).faultAndRemedy, error);
      }
      if (typeof value === 'string' && value.trim() !== '') return value;
      throw refusal(noText(title));
    },
  };
}
