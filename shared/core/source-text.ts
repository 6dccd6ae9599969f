import { type EventSource, SOURCE_TYPES } from './event.ts';
import { isSourceName } from './names.ts';

/** Reads a source, written `<type>/<name>`. `undefined` if the text is not a source. */
export function parseSource(text: string): EventSource | undefined {
  const slash = text.indexOf('/');
  const type = SOURCE_TYPES.find((one) => one === text.slice(0, slash));
  const name = text.slice(slash + 1);
  return type !== undefined && isSourceName(name) ? { type, name } : undefined;
}

/** A source as operators write it: `wec/<name>`, `wds/<name>`, `fleet/<name>` or `wec/*`. */
export function sourceText({ type, name }: EventSource): string {
  return `${type}/${name}`;
}
