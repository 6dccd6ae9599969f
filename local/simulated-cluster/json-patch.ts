import { badRequest, StatusError } from '#shared/api/status-error.ts';
import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';

type Path = readonly string[];

function pathOf(operation: JsonValue, key: 'path' | 'from'): Path {
  const pointer = member(operation, key);
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/'))
    throw badRequest(`JSON patch: "${key}" must be a JSON pointer`);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unprocessable(path: Path): StatusError {
  return new StatusError(
    { code: 422, reason: 'Invalid' },
    `the server rejected our request due to an error in our request: JSON patch: no value at "/${path.join('/')}"`,
  );
}

function indexOf(token: string, length: number): number | undefined {
  if (!/^(0|[1-9]\d*)$/.test(token)) return undefined;
  const index = Number(token);
  return index < length ? index : undefined;
}

function valueAt(document: JsonValue, path: Path): JsonValue {
  let value: JsonValue | undefined = document;
  for (const token of path) {
    const index: number | undefined = isArray(value) ? indexOf(token, value.length) : undefined;
    value = isArray(value) ? value[index ?? -1] : at(value, token);
  }
  if (value === undefined) throw unprocessable(path);
  return value;
}

type Edit = (parent: readonly JsonValue[] | JsonObject, token: string) => JsonValue | undefined;

/**
 * Copies the document along a path and lets `edit` change the last container. `undefined` if there is no such place.
 */
function edited(document: JsonValue, path: Path, edit: Edit): JsonValue {
  const [token, ...rest] = path;
  if (token === undefined || !(isArray(document) || isObject(document))) throw unprocessable(path);
  if (rest.length === 0) {
    const result = edit(document, token);
    if (result === undefined) throw unprocessable(path);
    return result;
  }
  const inner = edited(valueAt(document, [token]), rest, edit);
  return isArray(document)
    ? document.with(Number(token), inner)
    : { ...(document satisfies JsonObject), [token]: inner };
}

function add(document: JsonValue, path: Path, value: JsonValue): JsonValue {
  if (path.length === 0) return value;
  return edited(document, path, (parent, token) => {
    if (!isArray(parent)) return { ...parent, [token]: value };
    const index = token === '-' ? parent.length : indexOf(token, parent.length + 1);
    return index === undefined ? undefined : parent.toSpliced(index, 0, value);
  });
}

function remove(document: JsonValue, path: Path): JsonValue {
  return edited(document, path, (parent, token) => {
    if (isArray(parent)) {
      const index = indexOf(token, parent.length);
      return index === undefined ? undefined : parent.toSpliced(index, 1);
    }
    if (!Object.hasOwn(parent, token)) return undefined;
    const { [token]: _removed, ...rest } = parent;
    return rest;
  });
}

function replace(document: JsonValue, path: Path, value: JsonValue): JsonValue {
  if (path.length === 0) return value;
  return edited(document, path, (parent, token) => {
    if (!isArray(parent))
      return Object.hasOwn(parent, token) ? { ...parent, [token]: value } : undefined;
    const index = indexOf(token, parent.length);
    return index === undefined ? undefined : parent.with(index, value);
  });
}

function apply(document: JsonValue, operation: JsonValue): JsonValue {
  const path = pathOf(operation, 'path');
  const value = member(operation, 'value') ?? null;
  switch (member(operation, 'op')) {
    case 'add':
      return add(document, path, value);
    case 'remove':
      return remove(document, path);
    case 'replace':
      return replace(document, path, value);
    case 'move': {
      const from = pathOf(operation, 'from');
      return add(remove(document, from), path, valueAt(document, from));
    }
    case 'copy':
      return add(document, path, valueAt(document, pathOf(operation, 'from')));
    case 'test':
      if (equalJson(valueAt(document, path), value)) return document;
      throw new StatusError(
        { code: 422, reason: 'Invalid' },
        `the server rejected our request due to an error in our request: JSON patch: the test of "/${path.join('/')}" failed`,
      );
    default:
      throw badRequest('JSON patch: unknown "op"');
  }
}

/**
 * Applies a JSON patch (RFC 6902) and returns the new document.
 *
 * @throws StatusError 400 if the patch is malformed, 422 if it does not apply
 */
export function applyJsonPatch(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isArray(patch)) throw badRequest('JSON patch: must be a list of operations');
  return patch.reduce(apply, document);
}
