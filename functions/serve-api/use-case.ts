import * as z from 'zod/mini';
import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { differencesJson, readDifferences } from '#shared/state/fleet/differences.ts';
import { isListed } from '#shared/state/fleet/listed.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { SORT } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { readSilence } from '#shared/state/silence.ts';
import { ListBody } from './body.ts';
import { deploymentEntry, shortEntry } from './deployment-entry.ts';
import {
  type DeploymentRange,
  deploymentRows,
  familyOf,
  type RowReader,
} from './deployment-rows.ts';
import { INVALID_CURSOR, unknownObject, unknownUpstream } from './messages.ts';
import { badRequest, notFound } from './problem.ts';
import type { ListedSubject, PageRequest } from './request.ts';

/** Two keys of a store, of at most 1,024 bytes each, as JSON and in base64. */
const MAX_LENGTH = 4096;

const sortKey = z.string().check(z.minLength(1), z.maxLength(1024));
const SCHEMA = z.strictObject({ group: z.optional(sortKey), after: z.optional(sortKey) });

/** Where a list continues. */
interface ListPosition {
  /** The current group of entries. Absent if the list has no groups. */
  readonly group?: string | undefined;
  /** The sort key of the last entry that was read in the group. Absent if there is none. */
  readonly after?: string | undefined;
}

/** The prefixes of a list's keys. A member is absent if the list does not have it. */
type PositionPrefixes = Pick<ListPosition, 'group' | 'after'>;

/** Encodes a place as an opaque text. */
function encodeCursor(position: ListPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function isWithin(position: ListPosition, prefixes: PositionPrefixes): boolean {
  const { group, after } = position;
  if ((group === undefined) !== (prefixes.group === undefined)) return false;
  if (group?.startsWith(prefixes.group ?? '') === false) return false;
  return after?.startsWith(prefixes.after ?? '') !== false;
}

/**
 * Decodes a cursor.
 *
 * @throws Problem if it is not a cursor of this list.
 */
function decodeCursor(text: string, prefixes: PositionPrefixes): ListPosition {
  const result = text.length > MAX_LENGTH ? undefined : z.safeParse(SCHEMA, parsed(text));
  if (result?.success === true && isWithin(result.data, prefixes)) return result.data;
  throw badRequest(INVALID_CURSOR);
}

/** What the API needs from outside. It writes nothing. */
export interface ServeApiDeps {
  readonly store: ItemStore;
  /** Default: the maximum size of a Lambda response. */
  readonly maxBodyBytes?: number;
}

/** The maximum number of items that are read for one answer. A search for a rare state takes several answers. */
const MAX_LOOKED_AT = 5_000;
/** A query counts as this number of items. */
const QUERY_ITEMS = 5;
const GROUPS_AT_A_TIME = 100;
/** This number of objects always takes less than half of an answer. */
const OBJECTS_AT_A_TIME = 25;
const BUNDLES = `${familyOf('clusters')}#`;

async function checkUpstream({ store }: ServeApiDeps, upstream: string): Promise<void> {
  const [heartbeat] = await store.get([heartbeatKey({ type: 'fleet', name: upstream })]);
  if (heartbeat === undefined) throw notFound(unknownUpstream(upstream));
}

/**
 * Lists a page of the objects of a management cluster whose statuses differ from Starfold's, as JSON text. The answer also
 * says whether the management cluster has been read completely. Before that, no differences are known.
 *
 * @throws Problem, and the errors of the store
 */
export async function listDifferences(
  deps: ServeApiDeps,
  upstream: string,
  { limit, cursor }: PageRequest,
): Promise<string> {
  const { store, maxBodyBytes } = deps;
  let { after } = cursor === undefined ? {} : decodeCursor(cursor, { after: '' });
  await checkUpstream(deps, upstream);
  const complete = await isListed(store, upstream);
  const body = new ListBody('objects', { limit, maxBytes: maxBodyBytes }, { complete });
  for (let looked = 0; looked < MAX_LOOKED_AT && !body.isNearlyFull; ) {
    const next = Math.min(limit - body.length, OBJECTS_AT_A_TIME);
    const page = await readDifferences(store, upstream, {
      limit: next,
      ...(after === undefined ? {} : { cursor: after }),
    });
    for (const object of page.objects)
      body.push({ resource: object.subject.resource, ...differencesJson(object) });
    if (page.cursor === undefined) return body.text(undefined);
    after = page.cursor;
    looked += next;
  }
  return body.text(encodeCursor({ after }));
}

/** The BundleDeployments to list. */
interface Wanted {
  readonly state: BundleState | undefined;
  /** Whether it is below the requested object. */
  readonly isBelow: (row: DeploymentRow) => boolean;
}

/** Fills an answer with BundleDeployments, and keeps its position. */
class DeploymentList {
  readonly #body: ListBody;
  readonly #wanted: Wanted;
  #looked = 0;

  constructor(body: ListBody, wanted: Wanted) {
    this.#body = body;
    this.#wanted = wanted;
  }

  get isEmpty(): boolean {
    return this.#body.length === 0;
  }

  /**
   * Adds a row if it is wanted. Only the next wanted entry shows whether a full answer is the last one, so reading continues
   * until then.
   */
  #takes(row: DeploymentRow | undefined): boolean {
    if (row === undefined || !this.#wanted.isBelow(row)) return true;
    const { state } = this.#wanted;
    if (state !== undefined && row.state !== state) return true;
    return this.#body.add(deploymentEntry(row), (maxBytes) => shortEntry(row, maxBytes));
  }

  /**
   * Adds the rows of a range.
   *
   * @returns the key after which the next answer continues; undefined if all rows were read
   */
  async take(
    reader: RowReader,
    range: DeploymentRange,
  ): Promise<{ readonly after?: string } | undefined> {
    let { after } = range;
    if (this.#looked >= MAX_LOOKED_AT) return after === undefined ? {} : { after };
    this.#looked += QUERY_ITEMS;
    for await (const { sk, row } of deploymentRows(reader, range)) {
      if (this.#looked >= MAX_LOOKED_AT || !this.#takes(row))
        return after === undefined ? {} : { after };
      this.#looked += 1;
      after = sk;
    }
    return undefined;
  }

  text(position: ListPosition | undefined): string {
    return this.#body.text(position && encodeCursor(position));
  }
}

/** The Bundles of a GitRepo or HelmOp, each once, beginning at a place. */
async function* bundlesOf(
  { store }: RowReader,
  subject: FleetSubject,
  from = BUNDLES,
): AsyncGenerator<{ readonly group: string; readonly bundle: string }> {
  const pk = subjectPartition(subject);
  let last = '';
  for await (const items of pages(store, {
    pk,
    from,
    to: `${BUNDLES}\u{10ffff}`,
    limit: GROUPS_AT_A_TIME,
  }))
    for (const { sk, body } of items) {
      const [family, hash, bundle = ''] = sk.split('#');
      if (body === undefined || bundle === last) continue;
      last = bundle;
      yield { group: `${family}#${hash}#${bundle}#`, bundle };
    }
}

/** Adds everything below a GitRepo or HelmOp, beginning at a place. Returns where the next answer continues. */
async function takeGroups(
  reader: RowReader,
  { subject, position }: { readonly subject: FleetSubject; readonly position: ListPosition },
  list: DeploymentList,
): Promise<ListPosition | undefined> {
  for await (const { group, bundle } of bundlesOf(reader, subject, position.group)) {
    const [namespace = '', name = ''] = bundle.split('/');
    const of = { ...subject, resource: 'bundles', namespace, name } as const;
    const after = group === position.group ? position.after : undefined;
    const rest = await list.take(reader, { subject: of, after });
    if (rest !== undefined) return { group, ...rest };
  }
  return undefined;
}

async function checkObject({ store }: ServeApiDeps, subject: FleetSubject): Promise<void> {
  const pk = subjectPartition(subject);
  const items = await store.get([SORT.head, SORT.object].map((sk) => ({ pk, sk })));
  if (items.some((item) => item?.body !== undefined)) return;
  throw notFound(unknownObject(subject));
}

/**
 * Lists a page of the BundleDeployments below an object, as JSON text. Each has the state under which the statuses count it.
 *
 * @throws Problem, and the errors of the store
 */
export async function listDeployments(
  deps: ServeApiDeps,
  subject: ListedSubject,
  { limit, cursor, state }: PageRequest & { readonly state: BundleState | undefined },
): Promise<string> {
  const { resource, namespace, name, upstream } = subject;
  const isTable = resource === 'bundles' || resource === 'clusters';
  const prefixes = isTable
    ? { after: `${familyOf(resource)}#` }
    : { group: BUNDLES, after: `${familyOf('bundles')}#` };
  const position = cursor === undefined ? {} : decodeCursor(cursor, prefixes);
  await checkUpstream(deps, upstream);
  const own = namespacedName(namespace, name);
  const list = new DeploymentList(
    new ListBody('deployments', { limit, maxBytes: deps.maxBodyBytes }),
    {
      state,
      isBelow: ({ repo, helmOp }) => isTable || own === (resource === 'gitrepos' ? repo : helmOp),
    },
  );
  const silence = await readSilence(deps.store, { upstream });
  const reader = { store: deps.store, silence };
  const rest = isTable
    ? await list.take(reader, { subject: { ...subject, resource }, after: position.after })
    : await takeGroups(reader, { subject, position }, list);
  if (list.isEmpty && cursor === undefined && rest === undefined) await checkObject(deps, subject);
  return list.text(rest);
}
