import { at, isObject, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';

/**
 * Texts of parts that several versions of an object share, because a new status does not change `.spec` and the labels.
 */
const partTexts = new WeakMap<object, string>();

function partText(part: JsonValue): string {
  if (typeof part !== 'object' || part === null) return stringifyJson(part);
  let text = partTexts.get(part);
  if (text === undefined) {
    text = stringifyJson(part);
    partTexts.set(part, text);
  }
  return text;
}

function textFrom(parts: JsonObject, textOf: (key: string, part: JsonValue) => string): string {
  const members: string[] = [];
  for (const key of Object.keys(parts).sort()) {
    const part: JsonValue | undefined = parts[key];
    if (part !== undefined) members.push(`${JSON.stringify(key)}:${textOf(key, part)}`);
  }
  return `{${members.join(',')}}`;
}

/** Like `stringifyJson`, but faster for an object that shares parts with one whose text is known. */
function objectText(object: JsonObject): string {
  return textFrom(object, (key, part) =>
    key === 'metadata' && isObject(part)
      ? textFrom(part, (_key, inner) => partText(inner))
      : partText(part),
  );
}

/** An object at one resourceVersion. Its JSON text is made only once. */
export class StoredObject {
  readonly version: number;
  readonly object: JsonObject;
  readonly namespace: string;
  readonly name: string;
  #text: string | undefined;
  #untypedText: string | undefined;

  /** @param object any object with a name; its `metadata.resourceVersion` becomes `version` */
  constructor(object: JsonObject, version: number) {
    this.version = version;
    this.object = withResourceVersion(object, version);
    this.namespace = metadataText(object, 'namespace');
    this.name = metadataText(object, 'name');
  }

  /** JSON text of the object. */
  get text(): string {
    this.#text ??= objectText(this.object);
    return this.#text;
  }

  /** JSON text without `apiVersion` and `kind`, as in a list of a built-in kind. */
  get untypedText(): string {
    if (this.#untypedText === undefined) {
      const { apiVersion: _apiVersion, kind: _kind, ...rest } = this.object;
      this.#untypedText = objectText(rest);
    }
    return this.#untypedText;
  }
}

/** `metadata` of an object. Empty if it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  const metadata = at(object, 'metadata');
  return isObject(metadata) ? metadata : {};
}

/** A member of `metadata` that is a string. `''` if it is absent. */
export function metadataText(object: JsonObject, key: string): string {
  const value = at(object, 'metadata', key);
  return typeof value === 'string' ? value : '';
}

/** The same object with another `metadata.resourceVersion`. */
function withResourceVersion(object: JsonObject, version: number): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), resourceVersion: String(version) } };
}

/** One change of one object. */
export class ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** The object after the change. For a deletion, its last state at the version of the deletion. */
  readonly current: StoredObject;
  /** The object before the change. Absent for an addition. */
  readonly previous: StoredObject | undefined;
  #line: Buffer | undefined;

  constructor(
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    current: StoredObject,
    previous: StoredObject | undefined,
  ) {
    this.type = type;
    this.version = current.version;
    this.current = current;
    this.previous = previous;
  }

  /** The line of a watch for this change, made once for all watches. */
  get line(): Buffer {
    this.#line ??= Buffer.from(watchLine(this.type, this.current.text));
    return this.#line;
  }

  /** Frees the line when all watches have it, because few will request it again and the history is long. */
  freeLine(): void {
    this.#line = undefined;
  }
}

/** One line of a watch. */
export function watchLine(type: string, objectText: string): string {
  return `{"type":"${type}","object":${objectText}}\n`;
}
