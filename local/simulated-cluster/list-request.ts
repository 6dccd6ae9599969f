import { INVALID_CONTINUE, pastVersion } from '#shared/api/list-messages.ts';
import { badRequest, expired, tooLargeResourceVersion } from '#shared/api/status-error.ts';
import { at, type JsonObject, parseJson, stringifyJson } from '#shared/core/json.ts';
import type { ApiRequest } from './api-request.ts';
import { type ApiTarget, type ClusterParts, selectionOf, wholeNumber } from './api-target.ts';
import { apiVersionOf, isCustom } from './resources.ts';
import type { StoredObject } from './stored-object.ts';
import { tableOf } from './table.ts';

/** The position in a list with pages: the version that all its pages show, and the last object of the previous page. */
interface Position {
  readonly version: number;
  readonly after: string;
}

interface Page {
  readonly items: readonly StoredObject[];
  readonly metadata: JsonObject;
}

function listOrder(stored: StoredObject): string {
  // A character that is less than all characters of names keeps the order of namespaces before the order of names.
  return `${stored.namespace}\u0000${stored.name}`;
}

function encodePosition(position: Position): string {
  const { version, after } = position;
  return Buffer.from(stringifyJson({ version, after })).toString('base64url');
}

function decodePosition(token: string): Position {
  try {
    const decoded = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
    const version = at(decoded, 'version');
    const after = at(decoded, 'after');
    if (typeof version === 'number' && typeof after === 'string') return { version, after };
  } catch (error) {
    throw badRequest(INVALID_CONTINUE, { cause: error });
  }
  throw badRequest(INVALID_CONTINUE);
}

function exactVersion(query: URLSearchParams, current: number): number | undefined {
  const wanted = wholeNumber(query, 'resourceVersion') ?? 0;
  if (wanted > current) throw tooLargeResourceVersion(wanted, current);
  return query.get('resourceVersionMatch') === 'Exact' ? wanted : undefined;
}

/** The selected objects as they were at a version. */
function selectedAt(
  parts: ClusterParts,
  target: ApiTarget,
  { version, query }: { readonly version: number; readonly query: URLSearchParams },
): readonly StoredObject[] {
  const all = parts.store.listAt(target.key, version, target.namespace);
  if (all !== undefined) return all.filter(selectionOf(target, query));
  throw expired(
    query.get('continue')
      ? 'The provided continue parameter is too old to display a consistent list result; start a new list.'
      : pastVersion(version),
  );
}

function pageOf(parts: ClusterParts, target: ApiTarget, query: URLSearchParams): Page {
  const token = query.get('continue');
  const position = token ? decodePosition(token) : undefined;
  const current = parts.store.version;
  const version = position?.version ?? exactVersion(query, current) ?? current;
  const selected = selectedAt(parts, target, { version, query });
  const rest = position
    ? selected.filter((stored) => listOrder(stored) > position.after)
    : selected;
  const items = rest.slice(0, wholeNumber(query, 'limit') || rest.length);
  const left = rest.length - items.length;
  const last = items.at(-1);
  const resourceVersion = String(version);
  if (left === 0 || last === undefined) return { items, metadata: { resourceVersion } };
  const filtered = query.get('labelSelector') || query.get('fieldSelector');
  return {
    items,
    metadata: {
      resourceVersion,
      continue: encodePosition({ version, after: listOrder(last) }),
      ...(filtered ? {} : { remainingItemCount: left }),
    },
  };
}

/** The answer to a list as JSON text: a `<Kind>List` or a `Table`. */
export function answerList(parts: ClusterParts, target: ApiTarget, request: ApiRequest): string {
  const { items, metadata } = pageOf(parts, target, request.query);
  const { definition } = target;
  if (request.form === 'table')
    return stringifyJson(
      tableOf(definition, items, {
        listMetadata: metadata,
        include: request.include,
        now: parts.clock(),
      }),
    );
  // API servers omit apiVersion and kind in the items of built-in kinds, but not of custom ones.
  const typed = isCustom(definition);
  const texts = items.map((stored) => (typed ? stored.text : stored.untypedText));
  const head = { apiVersion: apiVersionOf(definition), kind: `${definition.kind}List`, metadata };
  return `${stringifyJson(head).slice(0, -1)},"items":[${texts.join(',')}]}`;
}
