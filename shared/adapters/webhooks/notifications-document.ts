import * as z from 'zod/mini';
import { nearestName } from '#shared/core/nearest-name.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules, type Rule } from '#shared/core/notification/rules.ts';
import { TOPIC_TYPES, type TopicType } from '#shared/core/notification/topic.ts';
import { AppError } from '#shared/errors.ts';
import type { FieldPath } from '#shared/yaml-lines.ts';
import {
  atLine,
  EMPTY_RECEIVERS,
  INVALID_NAME,
  INVALID_SECRETS,
  INVALID_URL,
  invalidSecret,
  keySize,
  longList,
  NO_BASE64,
  NO_DOCUMENT,
  NO_RECEIVERS,
  NO_RULE,
  NO_RULES,
  NO_TEXT,
  NO_WEBHOOK,
  NO_WEBHOOKS,
  noEventTypes,
  noExpression,
  OTHER_PREFIX,
  PLAIN_HTTP,
  REPEATED_NAME,
  RESERVED_NAME,
  SECRET_PREFIX,
  URL_WITH_USER,
  unknownEventType,
  unknownField,
  unknownReceiver,
  WHOLE_DOCUMENT,
} from './document-messages.ts';
import { type NotificationsYaml, readNotificationsYaml } from './notifications-yaml.ts';

/** Where a webhook is, and the keys of its signatures. */
export interface WebhookPlace {
  readonly name: string;
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Who is notified of what. */
export interface Notifications {
  readonly webhooks: readonly WebhookPlace[];
  readonly rules: readonly Rule[];
}

/** A document of notifications cannot be used. The message names each rule or webhook and field, and no secret. */
export class NotificationsError extends AppError {
  override readonly name = 'NotificationsError';
  readonly code = 'notifications';
  readonly retryable = false;
  constructor(
    { place, fault }: { readonly place: string; readonly fault: string },
    options?: ErrorOptions,
  ) {
    super(`notifications ${place}: ${fault}`, options);
  }
}

/** A receiver and a rule have a name of this form. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** The sizes of a key (Standard Webhooks, "Signature scheme"). */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
/** The old one and the new one. */
const MAX_SECRETS = 2;
const MAX_WEBHOOKS = 20;
const MAX_RULES = 50;
const MAX_EXPRESSION = 4096;
const TYPES = Object.values(EVENT_TYPES);
const TYPES_RULE = noEventTypes(TYPES);

/** Why a text is no secret, without anything of it. Undefined: it is one. */
function secretFault(text: string): string | undefined {
  if (!text.startsWith(SECRET_PREFIX)) return OTHER_PREFIX;
  const base64 = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return NO_BASE64;
  const isOfSize = bytes.length >= MIN_KEY_BYTES && bytes.length <= MAX_KEY_BYTES;
  return isOfSize ? undefined : keySize(bytes.length);
}

/** Why a text is no type of an event. Undefined: it is one. */
function typeFault(text: string): string | undefined {
  if (TYPES.some((type) => type === text)) return undefined;
  return unknownEventType(text, nearestName(text, TYPES), TYPES);
}

/** The names of this machine, as \`URL\` writes them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Why a text is no URL of a webhook. Undefined: it is one. */
function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return INVALID_URL;
  if (url.username !== '' || url.password !== '') return URL_WITH_USER;
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname) ? undefined : PLAIN_HTTP;
}

/** A check with a text of its own for each fault. */
function faulty<T>(faultOf: (value: T) => string | undefined): z.core.$ZodCheck<T> {
  return z.check<T>(({ value, issues }) => {
    const message = faultOf(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  });
}

const name = z.string(INVALID_NAME).check(z.regex(NAME, INVALID_NAME));
function secretsFault(secret: unknown): string | undefined {
  const all: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (all.length === 0 || all.length > MAX_SECRETS) return INVALID_SECRETS;
  for (const one of all) {
    const fault = typeof one === 'string' ? secretFault(one) : NO_TEXT;
    if (fault !== undefined) return invalidSecret(fault);
  }
  return undefined;
}

const secret = z.custom<string | readonly string[]>().check(faulty<unknown>(secretsFault));
const EXPRESSION_RULE = noExpression(MAX_EXPRESSION);
const expression = z
  .string(EXPRESSION_RULE)
  .check(z.minLength(1, EXPRESSION_RULE), z.maxLength(MAX_EXPRESSION, EXPRESSION_RULE));

const webhook = z.strictObject(
  { name, url: z.string(INVALID_URL).check(faulty(urlFault)), secret },
  NO_WEBHOOK,
);

const rule = z.strictObject(
  {
    name,
    events: z
      .array(z.string(TYPES_RULE).check(faulty(typeFault)), TYPES_RULE)
      .check(z.minLength(1, TYPES_RULE)),
    condition: z.exactOptional(expression),
    oncePer: z.exactOptional(expression),
    send: z.array(name, NO_RECEIVERS).check(z.minLength(1, EMPTY_RECEIVERS)),
  },
  NO_RULE,
);

const document = z.strictObject(
  {
    webhooks: z
      .array(webhook, NO_WEBHOOKS)
      .check(z.maxLength(MAX_WEBHOOKS, longList(MAX_WEBHOOKS))),
    rules: z.array(rule, NO_RULES).check(z.maxLength(MAX_RULES, longList(MAX_RULES))),
  },
  NO_DOCUMENT,
);

type Document = z.infer<typeof document>;

/** The place of a fault, with the name of its webhook or rule: `rule degraded, send.0`. */
function placeOf(path: readonly PropertyKey[], json: unknown): string {
  const [list, index, ...rest] = path;
  if (list === undefined) return WHOLE_DOCUMENT;
  if (typeof index !== 'number') return path.join('.');
  const entry: unknown = (json as Record<PropertyKey, unknown[]>)[list]?.[index];
  const called = (entry as { readonly name?: unknown } | null)?.name;
  const kind = list === 'rules' ? 'rule' : 'webhook';
  const title = typeof called === 'string' ? `${kind} ${called}` : `${String(list)}[${index}]`;
  return rest.length === 0 ? title : `${title}, ${rest.join('.')}`;
}

/** A fault, and the field that has it. */
interface Fault {
  readonly path: FieldPath;
  readonly message: string;
}

function repeated(list: 'webhooks' | 'rules', { [list]: entries }: Document): readonly Fault[] {
  const names = entries.map((entry) => entry.name);
  return names.flatMap((one, index) =>
    names.indexOf(one) === index ? [] : [{ path: [list, index], message: REPEATED_NAME }],
  );
}

function unknownReceivers(
  { webhooks, rules }: Document,
  others: readonly string[],
): readonly Fault[] {
  const known = [...webhooks.map((one) => one.name), ...others];
  return rules.flatMap((one, index) =>
    one.send
      .filter((receiver) => !known.includes(receiver))
      .map((receiver) => ({
        path: ['rules', index, 'send'],
        message: unknownReceiver(receiver, nearestName(receiver, known)),
      })),
  );
}

/** The fields of what is at a path. */
function fieldsAt([list, index]: FieldPath): readonly string[] {
  if (list === undefined) return Object.keys(document.shape);
  return Object.keys((index !== undefined && list === 'rules' ? rule : webhook).shape);
}

function unknownFieldAt(path: FieldPath, field: string): Fault {
  const known = fieldsAt(path);
  const message = unknownField(field, nearestName(field, known), known);
  return { path: [...path, field], message };
}

/** The faults of the form of a document. */
function formFaults({ issues }: z.core.$ZodError): readonly Fault[] {
  return issues.flatMap((issue): readonly Fault[] => {
    const { path, message } = issue;
    if (issue.code !== 'unrecognized_keys') return [{ path, message }];
    return issue.keys.map((field) => unknownFieldAt(path, field));
  });
}

/** Webhooks whose name another receiver has. */
function takenNames({ webhooks }: Document, others: readonly string[]): readonly Fault[] {
  return webhooks.flatMap(({ name: one }, index) =>
    others.includes(one) ? [{ path: ['webhooks', index, 'name'], message: RESERVED_NAME }] : [],
  );
}

/** The faults of names. */
function nameFaults(known: Document, others: readonly string[]): readonly Fault[] {
  return [
    ...repeated('webhooks', known),
    ...takenNames(known, others),
    ...repeated('rules', known),
    ...unknownReceivers(known, others),
  ];
}

/** Each fault with its line, and with its webhook or rule. */
function faultsText({ value, lineOf }: NotificationsYaml, faults: readonly Fault[]): string {
  const texts = faults.map(({ path, message }) =>
    atLine(lineOf(path), `${placeOf(path, value)}: ${message}`),
  );
  return [...new Set(texts)].join('; ');
}

/**
 * Reads a document of notifications, in YAML or JSON (docs/notifications.md).
 *
 * @param place where the document is, for errors
 * @param others names of receivers besides the webhooks, which rules may name
 * @throws NotificationsError with the faults: of its form, or else of its names, or else of its expressions
 */
export function parseNotifications(
  place: string,
  text: string,
  others: readonly string[] = [],
): Notifications {
  const reading = readNotificationsYaml(text);
  if ('fault' in reading) throw new NotificationsError({ place, fault: reading.fault });
  const { content } = reading;
  const check = (faults: readonly Fault[]): void => {
    if (faults.length > 0)
      throw new NotificationsError({ place, fault: faultsText(content, faults) });
  };
  const { data, error } = document.safeParse(content.value);
  if (data === undefined)
    throw new NotificationsError({ place, fault: faultsText(content, formFaults(error)) });
  check(nameFaults(data, others));
  const compiled = compileRules(data.rules);
  check(
    compiled.faults.map((one) => ({
      path: ['rules', data.rules.findIndex(({ name: own }) => own === one.rule), one.field],
      message: one.message,
    })),
  );
  const webhooks = data.webhooks.map(({ secret: keys, ...one }) => ({
    ...one,
    secrets: [keys].flat(),
  }));
  return { webhooks, rules: compiled.rules };
}

/** The types of the topics that a rule concerns. Nothing is sent about the others. */
export function notifiedTopics(rules: readonly Rule[]): ReadonlySet<TopicType> {
  return new Set(
    TOPIC_TYPES.filter((type) => rules.some(({ events }) => events.has(EVENT_TYPES[type]))),
  );
}
