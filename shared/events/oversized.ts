import { isObject, member, parseJson, stringifyJson } from '#shared/core/json.ts';

/**
 * What can be told of an object that no message can hold.
 *
 * @param text an event, as `encodeEvent` makes it
 * @param bytes how long a message with this event alone would be
 * @returns an event of a WEC's object without its spec and status, with how large it was, so that the users of the WDS
 *   learn of it; `undefined` where nothing can be left out
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
