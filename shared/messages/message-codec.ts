import type * as z from 'zod/mini';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import { NewerMessageError } from '#shared/errors.ts';

/** Writes and reads the bodies of one kind of message between functions. */
export interface MessageCodec<T> {
  /** Encodes a message as a body. Absent fields are left out. */
  encode(message: object): string;
  /**
   * Decodes a body.
   *
   * @throws NewerMessageError if a newer release wrote it; Error if it is another text.
   */
  decode(body: string): T;
  /** The fields of a body, for those who only look at some: none if it is another text, or if a newer release wrote it. */
  fields(body: string): Readonly<Record<string, unknown>>;
}

/** The field of a message with its version. The first version does not write it. */
const VERSION_FIELD = 'messageVersion';

function versionIn(json: unknown): number {
  const written = Object(json)[VERSION_FIELD];
  return typeof written === 'number' ? written : 1;
}

/**
 * Creates the codec of one kind of message. A release may add optional fields without a new version, because an older release
 * ignores fields that it does not know. If an older release would misread a change, the change needs a new version: the messages then
 * wait until the new release is everywhere.
 *
 * @param kind the name of the kind in errors
 * @param schema what this release and earlier ones have sent
 * @param version the version that this release sends
 */
export function messageCodec<T>(
  kind: string,
  schema: z.ZodMiniType<unknown, unknown>,
  version = 1,
): MessageCodec<T> {
  return {
    encode: (message) =>
      JSON.stringify(version === 1 ? message : { ...message, [VERSION_FIELD]: version }),
    decode(body) {
      const json = JSON.parse(body);
      const written = versionIn(json);
      if (written > version) throw new NewerMessageError(kind, { written, supported: version });
      // The schema describes exactly this type.
      return schema.parse(json) as T;
    },
    fields(body) {
      let json: JsonObject;
      try {
        json = JSON.parse(body);
      } catch {
        return {};
      }
      return isObject(json) && versionIn(json) <= version ? json : {};
    },
  };
}
