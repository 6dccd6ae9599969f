import * as z from 'zod/mini';
import { type EventSource, SOURCE_TYPES } from '#shared/core/event.ts';
import { parseSource, sourceText } from '#shared/core/source-text.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/**
 * One partition for all: who may speak for whom is small, is read by its keys and is listed by operators. On AWS no function
 * may write it (infra/iam.yml).
 *
 * @internal for the test of that
 */
export const SENDERS_PARTITION = 'SENDERS';

/** DynamoDB's limit for a sort key. The name of a source is the sender's choice, so it may be longer than that. */
const MAX_SORT_KEY_BYTES = 1024;

/**
 * Says that a principal may speak for a source (docs/architecture.md, section 6, invariant 6). A source may have
 * several: while a role is replaced by another both speak.
 */
export interface SenderRegistration {
  readonly source: EventSource;
  /** As {@link principalOf} has it. */
  readonly principal: string;
  /** For people, to whom a principal says nothing: the ARN of the role or user. */
  readonly arn?: string;
}

/**
 * Who is behind a SenderId of SQS: `AROA...` of the session `AROA...:name` of a role, else the whole, such as the
 * `AIDA...` of a user (IAM User Guide, "IAM identifiers", unique identifiers).
 */
export function principalOf(senderId: string): string {
  const colon = senderId.indexOf(':');
  return colon < 0 ? senderId : senderId.slice(0, colon);
}

/**
 * Stands for every WEC in a registration: the forwarder of an ITS speaks for all of them
 * ([0010](../../docs/adr/0010-senders-dead-letters-and-redriving.md)). No source has this name (`SOURCE_NAME`), so no event
 * can come from it.
 */
export const EVERY_WEC: EventSource = { type: 'wec', name: '*' };

/** Whether it is {@link EVERY_WEC}. */
export function isEveryWec({ type, name }: EventSource): boolean {
  return type === EVERY_WEC.type && name === EVERY_WEC.name;
}

/** The inverse of {@link sourceText}; `undefined`: the text is no source. */
export function parseSourceText(text: string): EventSource | undefined {
  return text === sourceText(EVERY_WEC) ? EVERY_WEC : parseSource(text);
}

const REGISTRATION = bodyCodec<Pick<SenderRegistration, 'arn'>>(
  'registration of a sender',
  z.looseObject({ arn: z.exactOptional(z.string()) }),
);
const REDRIVER = bodyCodec<{ readonly until: number }>(
  'registration of a redriver',
  z.looseObject({ until: z.number() }),
);

function keyOf({ source, principal }: SenderRegistration): ItemKey {
  return { pk: SENDERS_PARTITION, sk: `${sourceText(source)}/${principal}` };
}

function registrationOf(type: EventSource['type'], item: Item): SenderRegistration {
  const [, name = '', principal = ''] = item.sk.split('/');
  const { arn } = REGISTRATION.decode(item);
  return { source: { type, name }, principal, ...(arn === undefined ? {} : { arn }) };
}

/**
 * Registers a principal for a source or for {@link EVERY_WEC}, beside those that are registered. Again: no change but of
 * the ARN.
 *
 * @throws RangeError when the name of the source or the principal is empty, has a `/` in it, or both are too long; or when
 *   there is a `*` in the name of a source.
 */
export async function registerSender(
  store: ItemStore,
  registration: SenderRegistration,
): Promise<void> {
  const { source, principal, arn } = registration;
  const key = keyOf(registration);
  const isName = (text: string): boolean => text !== '' && !text.includes('/');
  if (!isName(source.name) || !isName(principal) || !isKey(key))
    throw new RangeError(
      `cannot register ${principal || 'nobody'} for ${sourceText(source)}: both need a name without "/", of at most ${MAX_SORT_KEY_BYTES} bytes together`,
    );
  if (source.name.includes('*') && !isEveryWec(source))
    throw new RangeError(
      `cannot register ${principal} for ${sourceText(source)}: "*" stands for every WEC, as wec/*, and for nothing else`,
    );
  await store.put([
    { item: { ...key, body: REGISTRATION.encode(arn === undefined ? {} : { arn }) } },
  ]);
}

/** Takes a registration back; one that is not there is taken back already. */
export async function unregisterSender(
  store: ItemStore,
  registration: SenderRegistration,
): Promise<void> {
  await store.delete([{ key: keyOf(registration) }]);
}

/** All registrations in the order of their sources, page by page. */
export async function* listSenders(
  store: ItemStore,
): AsyncGenerator<readonly SenderRegistration[]> {
  for (const type of [...SOURCE_TYPES].sort())
    for await (const items of pages(store, range(SENDERS_PARTITION, `${type}/`)))
      yield items.map((item) => registrationOf(type, item));
}

/** Who is registered for a source. */
export async function sendersOf(
  store: ItemStore,
  source: EventSource,
): Promise<readonly SenderRegistration[]> {
  const registrations: SenderRegistration[] = [];
  for await (const items of pages(store, range(SENDERS_PARTITION, `${sourceText(source)}/`)))
    registrations.push(...items.map((item) => registrationOf(source.type, item)));
  return registrations;
}

function isKey({ sk }: ItemKey): boolean {
  return Buffer.byteLength(sk) <= MAX_SORT_KEY_BYTES;
}

/**
 * Of these sources those for which a principal is registered. Strongly consistent, one read for each.
 *
 * @throws StoreUnavailableError
 */
export async function registeredSources(
  store: ItemStore,
  principal: string,
  sources: readonly EventSource[],
): Promise<readonly EventSource[]> {
  const asked = sources.filter((source) => isKey(keyOf({ source, principal })));
  const items = await store.get(asked.map((source) => keyOf({ source, principal })));
  return asked.filter((_source, index) => items[index] !== undefined);
}

function redriverKey(principal: string): ItemKey {
  return { pk: SENDERS_PARTITION, sk: `redriver/${principal}` };
}

/**
 * Lets a principal send dead letters back in the name of their senders, for a while.
 *
 * @param until milliseconds since the epoch; in the past: takes it back
 */
export async function registerRedriver(
  store: ItemStore,
  principal: string,
  until: number,
): Promise<void> {
  const body = REDRIVER.encode({ until });
  await store.put([
    { item: { ...redriverKey(principal), body, expiresAt: Math.ceil(until / 1000) } },
  ]);
}

/**
 * Until when (milliseconds since the epoch) a principal may send dead letters back; 0: never. The time to live of the item
 * is not relied on.
 *
 * @throws StoreUnavailableError
 */
export async function redriverUntil(store: ItemStore, principal: string): Promise<number> {
  const key = redriverKey(principal);
  const [item] = isKey(key) ? await store.get([key]) : [];
  return item === undefined ? 0 : REDRIVER.decode(item).until;
}
