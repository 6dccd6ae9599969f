import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '#shared/core/json.ts';
import { NO_KUBERNETES_PROTOBUF, NOT_PROTOBUF } from './query-messages.ts';
import { badRequest } from './status-error.ts';

/** The media type in which clients in Go send Kubernetes' own kinds. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** What a body begins with. */
const MAGIC = Buffer.from('k8s\0');
/** The numbers of the fields (k8s.io/apimachinery and k8s.io/api, `generated.proto`). */
const UNKNOWN_RAW = 2;
const SPEC = 2;
const RESOURCE_ATTRIBUTES = 1;
const ATTRIBUTES = {
  namespace: 1,
  verb: 2,
  group: 3,
  version: 4,
  resource: 5,
  subresource: 6,
  name: 7,
} as const;

type Fields = ReadonlyMap<number, Uint8Array>;

/** The fields of a message that are texts or messages. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Uint8Array>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) fields.set(number, reader.bytes());
    else reader.skip(wireType, number);
  }
  return fields;
}

function specIn(body: Buffer): JsonObject {
  const object = fieldsOf(
    fieldsOf(body.subarray(MAGIC.length)).get(UNKNOWN_RAW) ?? new Uint8Array(),
  );
  const attributes = fieldsOf(object.get(SPEC) ?? new Uint8Array()).get(RESOURCE_ATTRIBUTES);
  if (attributes === undefined) return {};
  const texts = fieldsOf(attributes);
  const given = Object.entries(ATTRIBUTES).flatMap(([name, number]) => {
    const text = texts.get(number);
    return text === undefined ? [] : [[name, Buffer.from(text).toString()]];
  });
  return { resourceAttributes: Object.fromEntries(given) };
}

/**
 * Reads what kubectl sends when it creates a SelfSubjectAccessReview: the resource that it is about.
 *
 * @throws StatusError 400 if it is not in protocol buffers
 */
export function reviewFromProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw badRequest(NO_KUBERNETES_PROTOBUF);
  try {
    return { metadata: {}, spec: specIn(body) };
  } catch (error) {
    throw badRequest(NOT_PROTOBUF, { cause: error });
  }
}
