import * as z from 'zod/mini';
import { type EventSource, SOURCE_TYPES } from '#shared/core/event.ts';
import { parseSource, sourceText } from '#shared/core/source-text.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { range } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';

/**
 * All registrations share one partition. They are few, are read by their keys, and are listed by operators. On AWS no function
 * may write them (infra/iam.yml).
 *
 * @internal for the test of that
 */
export const SENDERS_PARTITION = 'SENDERS';

/** DynamoDB's limit for a sort key. A sender chooses the name of its source, so the name may be longer. */
const MAX_SORT_KEY_BYTES = 1024;

/**
 * A registration: a principal may report for a source (docs/architecture.md, section 6, invariant 6). A source may have
 * several, for example while one role replaces another.
 */
export interface SenderRegistration {
  readonly source: EventSource;
  /** The principal, as {@link principalOf} returns it. */
  readonly principal: string;
  /** The ARN of the role or user, for people. */
  readonly arn?: string;
}

/**
 * The principal of a SenderId of SQS: `AROA...` for the session `AROA...:name` of a role, otherwise the whole text, such as the
 * `AIDA...` of a user (IAM User Guide, "IAM identifiers", unique identifiers).
 */
export function principalOf(senderId: string): string {
  const colon = senderId.indexOf(':');
  return colon < 0 ? senderId : senderId.slice(0, colon);
}

/**
 * In a registration, every WEC: the forwarder of an ITS reports for all of them
 * ([0010](../../docs/adr/0010-senders-dead-letters-and-redriving.md)). No source may have this name (`SOURCE_NAME`), so no
 * event can come from it.
 */
export const EVERY_WEC: EventSource = { type: 'wec', name: '*' };

/** Whether it is {@link EVERY_WEC}. */
export function isEveryWec({ type, name }: EventSource): boolean {
  return type === EVERY_WEC.type && name === EVERY_WEC.name;
}

/** The inverse of {@link sourceText}. Returns undefined if the text is not a source. */
export function parseSourceText(text: string): EventSource | undefined {
  return text === sourceText(EVERY_WEC) ? EVERY_WEC : parseSource(text);
}

const REGISTRATION = bodyCodec<Pick<SenderRegistration, 'arn'>>(
  'registration of a sender',
  looseObject({ arn: z.exactOptional(z.string()) }),
);
const REDRIVER = bodyCodec<{ readonly until: number }>(
  'registration of a redriver',
  looseObject({ until: z.number() }),
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
 * Registers a principal for a source or for {@link EVERY_WEC}, in addition to its other principals. If it is registered
 * already, only the ARN changes.
 *
 * @throws RangeError if the name of the source or the principal is empty or contains a `/`, if both together are too long, or
 * if the name of a source contains a `*`.
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
      `cannot register ${principal} for ${sourceText(source)}: "*" means every WEC, as wec/*, and nothing else`,
    );
  await store.put([
    { item: { ...key, body: REGISTRATION.encode(arn === undefined ? {} : { arn }) } },
  ]);
}

/** Removes a registration. If it does not exist, nothing happens. */
export async function unregisterSender(
  store: ItemStore,
  registration: SenderRegistration,
): Promise<void> {
  await store.delete([{ key: keyOf(registration) }]);
}

/** Reads all registrations in the order of their sources, page by page. */
export async function* listSenders(
  store: ItemStore,
): AsyncGenerator<readonly SenderRegistration[]> {
  for (const type of [...SOURCE_TYPES].sort())
    for await (const items of pages(store, range(SENDERS_PARTITION, `${type}/`)))
      yield items.map((item) => registrationOf(type, item));
}

/** Reads the registrations of a source. */
export async function sendersOf(
  store: ItemStore,
  source: EventSource,
): Promise<readonly SenderRegistration[]> {
  const registrations: SenderRegistration[] = [];
  for await (const items of pages(store, range(SENDERS_PARTITION, `${sourceText(source)}/`)))
    registrations.push(...items.map((item) => registrationOf(source.type, item)));
  return registrations;
}

/** Whether a registration can have this key. A name that is no well-formed text has no form in UTF-8. */
function isKey({ sk }: ItemKey): boolean {
  return sk.isWellFormed() && Buffer.byteLength(sk) <= MAX_SORT_KEY_BYTES;
}

/** That a principal reports for a source. */
export type SenderClaim = Pick<SenderRegistration, 'source' | 'principal'>;

/**
 * Returns the claims for which there is a registration. Strongly consistent, one read for each claim, all in one request.
 *
 * @param claims each once
 * @throws StoreUnavailableError
 */
export async function registeredClaims(
  store: ItemStore,
  claims: readonly SenderClaim[],
): Promise<readonly SenderClaim[]> {
  const asked = claims.filter((claim) => isKey(keyOf(claim)));
  const items = await store.get(asked.map(keyOf));
  return asked.filter((_claim, index) => items[index] !== undefined);
}

function redriverKey(principal: string): ItemKey {
  return { pk: SENDERS_PARTITION, sk: `redriver/${principal}` };
}

/**
 * Allows a principal to send dead letters again in the name of their senders, until a time.
 *
 * @param until milliseconds since the epoch; a time in the past ends the permission
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
 * Reads until when (milliseconds since the epoch) a principal may send dead letters again; 0 if it may not. The check does not
 * rely on the item's time to live.
 *
 * @throws StoreUnavailableError
 */
export async function redriverUntil(store: ItemStore, principal: string): Promise<number> {
  const key = redriverKey(principal);
  const [item] = isKey(key) ? await store.get([key]) : [];
  return item === undefined ? 0 : REDRIVER.decode(item).until;
}
