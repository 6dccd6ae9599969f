import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** A message whose fields are texts or messages. */
export function message(fields: Readonly<Record<number, string | Uint8Array>>): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of Object.entries(fields)) {
    writer.tag(Number(number), 2);
    if (typeof value === 'string') writer.string(value);
    else writer.bytes(value);
  }
  return writer.finish();
}

/** The body of a request with an object in protocol buffers. */
export function bodyOf(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from('k8s\0'),
    message({ 1: message({ 1: apiVersion, 2: kind }), 2: raw }),
  ]);
}

/** A message whose fields are integers. */
export function numbers(...values: readonly [field: number, value: number | bigint][]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [field, value] of values) writer.tag(field, 0).int64(value);
  return writer.finish();
}
