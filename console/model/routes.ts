import { VERDICTS, type Verdict } from '#shared/core/explanation/shown-verdict.ts';
import type { ExplanationObject } from './api-objects.ts';

/** Names a workload object in URLs: `deployments.apps`, its namespace (`''` for none), its name. */
export interface WorkloadPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The parts of a resource such as `deployments.apps`. The group of the core is `''`. */
export function groupAndResource({ resource }: Pick<WorkloadPlace, 'resource'>): {
  readonly group: string;
  readonly resource: string;
} {
  const dot = resource.indexOf('.');
  return dot < 0
    ? { group: '', resource }
    : { group: resource.slice(dot + 1), resource: resource.slice(0, dot) };
}

/** What a URL shows. */
export type Route =
  | { readonly screen: 'overview'; readonly verdict?: Verdict; readonly label?: string }
  | {
      readonly screen: 'workload';
      readonly workload: WorkloadPlace;
      readonly verdict?: Verdict;
      /** Part of a WEC's name, or `label=value`. */
      readonly text?: string;
      readonly sort?: string;
    }
  | {
      readonly screen: 'why';
      readonly workload: WorkloadPlace;
      readonly field?: string;
      readonly without?: string;
    }
  | { readonly screen: 'combined'; readonly workload: WorkloadPlace }
  | { readonly screen: 'wec'; readonly wec: string; readonly object?: string }
  | {
      readonly screen: 'query';
      /** The whole question, packed. */
      readonly packed?: string;
      readonly sort?: string;
      /** The object that is to be asked about, if there is no question yet. */
      readonly about?: WorkloadPlace;
      /** The ready question that is to be asked, if there is no question yet. */
      readonly ready?: string;
      /** The only WEC that is to be asked about, or the label of the only ones: `eu-west-003`, `region=eu-west`. */
      readonly only?: string;
    }
  | { readonly screen: 'unknown' };

/** In a path, a namespace has no other place to be absent. No namespace is named so. */
const NO_NAMESPACE = '-';

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function verdictIn(query: URLSearchParams): { readonly verdict?: Verdict } {
  const verdict = query.get('v') ?? '';
  return Object.hasOwn(VERDICTS, verdict) ? { verdict: verdict as Verdict } : {};
}

function textIn<Name extends string>(
  query: URLSearchParams,
  parameter: string,
  name: Name,
): { readonly [name in Name]?: string } {
  const text = query.get(parameter);
  return (text === null || text === '' ? {} : { [name]: text }) as { [name in Name]?: string };
}

function workloadRoute(parts: readonly string[], query: URLSearchParams): Route {
  const [resource = '', namespace = '', name = '', tab] = parts;
  if (resource === '' || name === '') return { screen: 'unknown' };
  const workload = { resource, namespace: namespace === NO_NAMESPACE ? '' : namespace, name };
  if (tab === 'why') {
    const asked = { ...textIn(query, 'field', 'field'), ...textIn(query, 'without', 'without') };
    return { screen: 'why', workload, ...asked };
  }
  if (tab === 'combined') return { screen: 'combined', workload };
  if (tab !== undefined) return { screen: 'unknown' };
  const asked = { ...textIn(query, 'q', 'text'), ...textIn(query, 'sort', 'sort') };
  return { screen: 'workload', workload, ...verdictIn(query), ...asked };
}

/**
 * What a fragment shows: `#/`, `#/workload/deployments.apps/shop/web`, the same with `/combined` or `/why`, `#/wec/edge-1`,
 * `#/query`.
 *
 * @param hash with or without `#`
 */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2);
  const query = new URLSearchParams(search);
  const [screen = '', ...parts] = path.split('/').slice(1).map(decoded);
  switch (screen) {
    case '':
      return { screen: 'overview', ...verdictIn(query), ...textIn(query, 'q', 'label') };
    case 'workload':
      return workloadRoute(parts, query);
    case 'wec':
      return parts[0]
        ? { screen: 'wec', wec: parts[0], ...textIn(query, 'object', 'object') }
        : { screen: 'unknown' };
    case 'query':
      return queryRoute(parts, query);
    default:
      return { screen: 'unknown' };
  }
}

function queryRoute(parts: readonly string[], query: URLSearchParams): Route {
  const [resource = '', namespace = '', name = ''] = parts;
  const asked = {
    ...textIn(query, 'q', 'packed'),
    ...textIn(query, 'sort', 'sort'),
    ...textIn(query, 'ready', 'ready'),
    ...textIn(query, 'only', 'only'),
  };
  if (parts.length === 0) return { screen: 'query', ...asked };
  if (resource === '' || name === '' || parts.length > 3) return { screen: 'unknown' };
  const about = { resource, namespace: namespace === NO_NAMESPACE ? '' : namespace, name };
  return { screen: 'query', ...asked, about };
}

function fragment(parts: readonly string[], query: Readonly<Record<string, string | undefined>>) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, value);
  const path = parts.map((part) => `/${encodeURIComponent(part)}`).join('');
  return `#${path === '' ? '/' : path}${search.size === 0 ? '' : `?${search}`}`;
}

function placeParts({ resource, namespace, name }: WorkloadPlace): readonly string[] {
  return [resource, namespace === '' ? NO_NAMESPACE : namespace, name];
}

/** The fragment that shows something. The inverse of {@link parseRoute}. */
export function routeText(route: Route): string {
  switch (route.screen) {
    case 'overview':
    case 'unknown':
      return route.screen === 'unknown' ? '#/' : fragment([], { v: route.verdict, q: route.label });
    case 'workload':
      return fragment(['workload', ...placeParts(route.workload)], {
        v: route.verdict,
        q: route.text,
        sort: route.sort,
      });
    case 'why':
      return fragment(['workload', ...placeParts(route.workload), 'why'], {
        field: route.field,
        without: route.without,
      });
    case 'combined':
      return fragment(['workload', ...placeParts(route.workload), 'combined'], {});
    case 'wec':
      return fragment(['wec', route.wec], { object: route.object });
    case 'query':
      return fragment(['query', ...(route.about === undefined ? [] : placeParts(route.about))], {
        q: route.packed,
        sort: route.sort,
        ready: route.ready,
        only: route.only,
      });
  }
}

/** Where the object of an answer is shown. */
export function placeOf({
  group,
  resource,
  namespace = '',
  name,
}: ExplanationObject['workload']): WorkloadPlace {
  return { resource: group === '' ? resource : `${resource}.${group}`, namespace, name };
}

/** Names an object in keys of maps. No part of a name has a `/`, but names of RBAC's objects may have anything else. */
export function placeKey({ resource, namespace, name }: WorkloadPlace): string {
  return `${namespace}/${resource}/${name}`;
}

/** The key of the explanation of an object among all explanations. */
export function explanationKey({ resource, namespace, name }: WorkloadPlace): string {
  return `${namespace}/${resource}:${name}`;
}
