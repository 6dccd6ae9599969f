import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { isArray, isObject, type JsonValue, member, textAt } from '#shared/core/json.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { workloadText } from '#shared/core/status-api/status-name.ts';
import type { ApiClient } from './api-client.ts';
import { type Problem, ProblemError } from './problem.ts';
import type { ShownObject } from './shown-object.ts';
import { type WecRow, wecRowsOf } from './wec-rows.ts';

/** WECs that are read at a time. */
const PAGE = '500';
/** No more WECs than this are read. */
export const MAX_WECS = 20_000;

/** What is known of the object that Argo CD shows. */
export type Reading =
  /** No Binding sends the object to a WEC. */
  | { readonly type: 'unbound' }
  /** The WDS has another object of this name: the cluster of the application is not this WDS. */
  | { readonly type: 'other-object'; readonly created: string }
  | BoundReading;

/** What is known of an object that a Binding sends to WECs. */
export interface BoundReading {
  readonly type: 'bound';
  /** The name of its resource, such as `deployments`. */
  readonly resource: string;
  /** Why the status is what it is, or why that cannot be explained. */
  readonly explanation: Explanation | Problem;
  readonly rows: readonly WecRow[];
  /** Whether `rows` has all WECs. */
  readonly isWhole: boolean;
}

/** What {@link readObject} needs. */
export interface ReadOptions {
  readonly client: Pick<ApiClient, 'get'>;
  readonly object: ShownObject;
  readonly signal: AbortSignal;
  /** Called with what is known so far, if there are more WECs than one page has. */
  readonly onPart: (reading: BoundReading) => void;
}

/** Whether an explanation can be shown, or why not. */
export function isExplained(explanation: Explanation | Problem): explanation is Explanation {
  return 'decision' in explanation;
}

function plural(namespace: string, resource: string): string {
  return namespace === '' ? `cluster${resource}` : resource;
}

function asExplanation(body: JsonValue): Explanation | Problem {
  const isKnown =
    isObject(member(body, 'decision')) &&
    isObject(member(body, 'wecs')) &&
    isArray(member(body, 'fields')) &&
    isArray(member(body, 'deciders'));
  // The API serves this type; the members that are used without a check were checked above.
  if (isKnown) return body as unknown as Explanation;
  return {
    type: 'failed',
    message: "Starfold's API answers with something other than an explanation.",
  };
}

/** What was found under a name. */
interface Found {
  readonly resource: string;
  readonly explanation: Explanation | Problem;
  /** When the object was created in the WDS. `''` if that is not known. */
  readonly created: string;
}

class ObjectReader {
  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  #get(request: {
    readonly resource: string;
    readonly name?: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly form?: 'table';
  }): Promise<JsonValue | undefined> {
    const { client, object, signal } = this.#options;
    const { namespace } = object;
    const resource = plural(namespace, request.resource);
    return client.get({ ...request, namespace, resource }, signal);
  }

  /** Any WECStatus of the object. It names the resource of the kind, which the object itself does not. */
  async #anyStatus(): Promise<JsonValue | undefined> {
    const { kind, group, name } = this.#options.object;
    const fieldSelector = fieldSelectorText({
      ...{ 'workload.kind': kind, 'workload.group': group, 'workload.name': name },
    });
    const list = await this.#get({
      ...{ resource: 'wecstatuses', query: { limit: '1', fieldSelector } },
    });
    const items = member(list, 'items');
    return isArray(items) ? items[0] : undefined;
  }

  async #explained(resource: string): Promise<Found | undefined> {
    const { group, namespace, name } = this.#options.object;
    const body = await this.#get({
      resource: 'explanations',
      name: workloadText({ group, resource, namespace, name }),
    });
    if (body === undefined) return undefined;
    const created = textAt(body, 'metadata', 'creationTimestamp');
    return { resource, explanation: asExplanation(body), created };
  }

  async #unexplained(problem: Problem): Promise<Found | undefined> {
    const status = await this.#anyStatus();
    if (status === undefined) return undefined;
    const created = textAt(status, 'metadata', 'creationTimestamp');
    return { resource: textAt(status, 'workload', 'resource'), explanation: problem, created };
  }

  async #find(): Promise<Found | undefined> {
    const { group, kind } = this.#options.object;
    try {
      const found = await this.#explained(kindPlural(group, kind));
      if (found !== undefined) return found;
      const resource = textAt(await this.#anyStatus(), 'workload', 'resource');
      return resource === '' ? undefined : await this.#explained(resource);
    } catch (error) {
      if (!(error instanceof ProblemError && error.problem.type === 'too-large')) throw error;
      return this.#unexplained(error.problem);
    }
  }

  async #page(resource: string, query: Readonly<Record<string, string>>, more = '') {
    const { group, name } = this.#options.object;
    const fieldSelector = `${fieldSelectorText({
      ...{ 'workload.resource': resource, 'workload.group': group, 'workload.name': name },
    })}${more}`;
    const table = await this.#get({
      resource: 'wecstatuses',
      query: { ...query, limit: PAGE, includeObject: 'None', fieldSelector },
      form: 'table',
    });
    const rows = table === undefined ? [] : wecRowsOf(table);
    return { rows, next: textAt(table, 'metadata', 'continue') };
  }

  /** The WECs. If one page has not all, the worst are read next, so that they are shown before the rest is read. */
  async #rows(resource: string, onRows: (rows: readonly WecRow[]) => void) {
    const rows = new Map<string, WecRow>();
    const add = (more: readonly WecRow[]): void => {
      for (const row of more) rows.set(row.wec, row);
      onRows([...rows.values()]);
    };
    let { rows: read, next } = await this.#page(resource, {});
    if (next !== '') add((await this.#page(resource, {}, ',health!=Healthy')).rows);
    add(read);
    let count = read.length;
    while (next !== '' && count < MAX_WECS) {
      ({ rows: read, next } = await this.#page(resource, { continue: next }));
      add(read);
      count += read.length;
    }
    return { rows: [...rows.values()], isWhole: next === '' };
  }

  async read(): Promise<Reading> {
    const { object, onPart } = this.#options;
    const found = await this.#find();
    if (found === undefined) return { type: 'unbound' };
    const { resource, explanation, created } = found;
    const isOther = created !== '' && object.created !== '' && created !== object.created;
    if (isOther) return { type: 'other-object', created };
    const bound = { type: 'bound', resource, explanation } as const;
    const whole = await this.#rows(resource, (rows) => onPart({ ...bound, rows, isWhole: false }));
    return { ...bound, ...whole };
  }
}

/**
 * Reads what the tab shows of an object.
 *
 * @throws ProblemError; the reason of the signal
 */
export async function readObject(options: ReadOptions): Promise<Reading> {
  return new ObjectReader(options).read();
}
