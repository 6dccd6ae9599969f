import { type EventSource, SOURCE_TYPES } from '#shared/core/event.ts';
import { isSourceName } from '#shared/core/names.ts';

/** Reads a source, written `<type>/<name>`; `undefined`: the text is none. */
export function parseSource(text: string): EventSource | undefined {
  const slash = text.indexOf('/');
  const type = SOURCE_TYPES.find((one) => one === text.slice(0, slash));
  const name = text.slice(slash + 1);
  return type !== undefined && isSourceName(name) ? { type, name } : undefined;
}
