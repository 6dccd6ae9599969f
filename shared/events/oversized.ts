import { isObject, member, parseJson, stringifyJson } from '#shared/core/json.ts';

/**
 * Reduces an event of an object that does not fit into a message.
 *
 * @param text an event of `encodeEvent`
 * @param bytes the size of a message with only this event
 * @returns an event of a WEC's object without its spec and status, but with its size, so that the users of the WDS learn of it;
 * undefined if there is nothing to leave out
 */
export function withoutContent(text: string, bytes: number): string | undefined {
  const event = parseJson(text);
  const data = member(event, 'data');
  const returned = member(data, 'returned');
  if (!isObject(event) || !isObject(data) || !isObject(returned)) return undefined;
  const { spec, status, ...rest } = returned;
  if (spec === undefined && status === undefined) return undefined;
  return stringifyJson({
    ...event,
    data: { ...data, returned: { ...rest, oversizedBytes: bytes } },
  });
}
