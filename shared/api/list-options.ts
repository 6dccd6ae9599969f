import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import {
  parseFieldSelectorText,
  type SelectableFields,
} from '#shared/core/status-api/field-selector-text.ts';
import type { StatusSelector } from '#shared/core/status-api/selector.ts';
import {
  EXACT_OF_ANY,
  hugeNumber,
  INITIAL_EVENTS_OF_LIST,
  INITIAL_EVENTS_WITHOUT_MATCH,
  invalidLabelSelector,
  MATCH_OF_CONTINUED,
  MATCH_OF_WATCH,
  MATCH_WITHOUT_VERSION,
  noFlag,
  noWholeNumber,
  VERSION_OF_CONTINUED,
} from './list-messages.ts';
import { invalidObject, unsupportedValue } from './messages.ts';
import { badRequest, StatusError } from './status-error.ts';

/** The options of a list or watch (meta.k8s.io/v1, ListOptions). */
export interface ListOptions {
  readonly selector: StatusSelector;
  /** Absent for no limit. */
  readonly limit?: number;
  /** Absent for the first page. */
  readonly continueToken?: string;
  /** Absent for the present. `0` for any. */
  readonly resourceVersion?: number;
  readonly match?: 'Exact' | 'NotOlderThan';
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds?: number;
}

/** 422: options that exclude each other. */
function invalid(field: string, reason: string, message: string): StatusError {
  const causes = [{ reason, message, field }];
  return new StatusError(
    {
      code: 422,
      reason: 'Invalid',
      details: { group: 'meta.k8s.io', kind: 'ListOptions', causes },
    },
    invalidObject('ListOptions.meta.k8s.io', [{ field, message }]),
  );
}

function forbidden(field: string, message: string): StatusError {
  return invalid(field, 'FieldValueForbidden', message);
}

function wholeNumber(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key) ?? '';
  if (text === '') return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(noWholeNumber(key, text));
  if (!Number.isSafeInteger(Number(text))) throw badRequest(hugeNumber(key, text));
  return Number(text);
}

function flag(query: URLSearchParams, key: string): boolean | undefined {
  const text = query.get(key) ?? '';
  if (text === '') return undefined;
  if (['true', '1'].includes(text)) return true;
  if (['false', '0'].includes(text)) return false;
  throw badRequest(noFlag(key, text));
}

const MATCH = 'resourceVersionMatch';

function matchOf(query: URLSearchParams): ListOptions['match'] {
  const text = query.get(MATCH) ?? '';
  if (text === '') return undefined;
  if (text === 'Exact' || text === 'NotOlderThan') return text;
  const message = unsupportedValue(text, ['Exact', 'NotOlderThan']);
  throw invalid(MATCH, 'FieldValueNotSupported', message);
}

function checkList({
  match,
  resourceVersion,
  continueToken,
  sendInitialEvents,
}: ListOptions): void {
  if (sendInitialEvents !== undefined) throw forbidden('sendInitialEvents', INITIAL_EVENTS_OF_LIST);
  if (continueToken !== undefined && resourceVersion !== undefined && resourceVersion !== 0)
    throw badRequest(VERSION_OF_CONTINUED);
  if (match === undefined) return;
  if (continueToken !== undefined) throw forbidden(MATCH, MATCH_OF_CONTINUED);
  if (resourceVersion === undefined) throw forbidden(MATCH, MATCH_WITHOUT_VERSION);
  if (match === 'Exact' && resourceVersion === 0) throw forbidden(MATCH, EXACT_OF_ANY);
}

function checkWatch({ match, sendInitialEvents }: ListOptions): void {
  if (sendInitialEvents === undefined && match !== undefined)
    throw forbidden(MATCH, MATCH_OF_WATCH);
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    throw forbidden(MATCH, INITIAL_EVENTS_WITHOUT_MATCH);
}

function selectorOf(query: URLSearchParams, selectable: SelectableFields): StatusSelector {
  const labels = parseSelectorText(query.get('labelSelector') ?? '');
  if (!labels.ok) throw badRequest(invalidLabelSelector(labels.fault));
  const wanted = parseFieldSelectorText(query.get('fieldSelector') ?? '', selectable);
  if (!wanted.ok) throw badRequest(wanted.fault);
  return { labels: labels.requirements, fields: wanted.requirements };
}

/** Only the members that are defined. */
function defined<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  // Members that are undefined are left out, so the rest have the types of T.
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

/** Whether a request of a collection asks for a watch. */
export function isWatch(query: URLSearchParams): boolean {
  return flag(query, 'watch') === true;
}

/**
 * Reads the options of a list or watch and checks them as API servers do (k8s.io/apimachinery, ValidateListOptions).
 *
 * @param selectable what field selectors of the resource may say
 * @throws StatusError 400 or 422 if they are invalid
 */
export function parseListOptions(
  query: URLSearchParams,
  selectable: SelectableFields,
): ListOptions {
  const options = defined<ListOptions>({
    selector: selectorOf(query, selectable),
    limit: wholeNumber(query, 'limit') || undefined,
    continueToken: query.get('continue') || undefined,
    resourceVersion: wholeNumber(query, 'resourceVersion'),
    match: matchOf(query),
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks') === true,
    timeoutSeconds: wholeNumber(query, 'timeoutSeconds') || undefined,
  });
  if (isWatch(query)) checkWatch(options);
  else checkList(options);
  return options;
}

/** The name that a selector on `metadata.name` leaves. Undefined for any other selector. */
export function selectedName({ fields }: StatusSelector): string | undefined {
  const names = fields.filter(
    ({ field, operator }) => field === 'metadata.name' && operator === '=',
  );
  return names[0]?.value;
}
