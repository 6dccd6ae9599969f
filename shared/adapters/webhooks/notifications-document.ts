import * as z from 'zod/mini';
import { nearestName } from '#shared/core/nearest-name.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules, type Rule } from '#shared/core/notification/rules.ts';
import { TOPIC_TYPES, type TopicType } from '#shared/core/notification/topic.ts';
import { AppError } from '#shared/errors.ts';
import type { FieldPath } from '#shared/yaml-lines.ts';
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
const NAME_RULE =
  'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at the begin or end';
const SECRET_RULE =
  'must be whsec_ and the base64 of 24 to 64 random bytes, or a list of one or two such texts';
const NEW_SECRET = 'make one with echo "whsec_$(openssl rand -base64 32)"';
const PREFIX = 'whsec_';
/** The sizes of a key (Standard Webhooks, "Signature scheme"). */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
/** The old one and the new one. */
const MAX_SECRETS = 2;
const MAX_WEBHOOKS = 20;
const MAX_RULES = 50;
const MAX_EXPRESSION = 4096;
const TYPES = Object.values(EVENT_TYPES);
const TYPES_RULE = `must be a list of event types: ${TYPES.join(', ')}`;

/** Why a text is no secret, without anything of it. Undefined: it is one. */
function secretFault(text: string): string | undefined {
  if (!text.startsWith(PREFIX)) return `it does not begin with ${PREFIX}`;
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return `what follows ${PREFIX} is not base64`;
  const isOfSize = bytes.length >= MIN_KEY_BYTES && bytes.length <= MAX_KEY_BYTES;
  return isOfSize ? undefined : `it has ${bytes.length} bytes`;
}

/** Why a text is no type of an event. Undefined: it is one. */
function typeFault(text: string): string | undefined {
  if (TYPES.some((type) => type === text)) return undefined;
  const near = nearestName(text, TYPES);
  return `${text} is not a type of event: ${near === undefined ? `the types are ${TYPES.join(', ')}` : `did you mean ${near}?`}`;
}

const URL_RULE = 'must be an https:// URL without a user and a password';
const PLAIN_HTTP =
  'must be an https:// URL: http:// is only for this machine (localhost, 127.0.0.1, [::1])';
const USER = `${URL_RULE}: the signature shows who sends`;
/** The names of this machine, as \`URL\` writes them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Why a text is no URL of a webhook. Undefined: it is one. */
function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return URL_RULE;
  if (url.username !== '' || url.password !== '') return USER;
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname) ? undefined : PLAIN_HTTP;
}

/** A check with a text of its own for each fault. */
function faulty<T>(faultOf: (value: T) => string | undefined): z.core.$ZodCheck<T> {
  return z.check<T>(({ value, issues }) => {
    const message = faultOf(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  });
}

const name = z.string(NAME_RULE).check(z.regex(NAME, NAME_RULE));
function secretsFault(secret: unknown): string | undefined {
  const all: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (all.length === 0 || all.length > MAX_SECRETS) return SECRET_RULE;
  for (const one of all) {
    const fault = typeof one === 'string' ? secretFault(one) : 'it is not text';
    if (fault !== undefined) return `${SECRET_RULE}: ${fault}: ${NEW_SECRET}`;
  }
  return undefined;
}

const secret = z.custom<string | readonly string[]>().check(faulty<unknown>(secretsFault));
const EXPRESSION_RULE = `must be a CEL expression of 1 to ${MAX_EXPRESSION} characters, as a string`;
const expression = z
  .string(EXPRESSION_RULE)
  .check(z.minLength(1, EXPRESSION_RULE), z.maxLength(MAX_EXPRESSION, EXPRESSION_RULE));

const webhook = z.strictObject(
  { name, url: z.string(URL_RULE).check(faulty(urlFault)), secret },
  'must have the fields name, url and secret',
);

const rule = z.strictObject(
  {
    name,
    events: z
      .array(z.string(TYPES_RULE).check(faulty(typeFault)), TYPES_RULE)
      .check(z.minLength(1, TYPES_RULE)),
    condition: z.exactOptional(expression),
    oncePer: z.exactOptional(expression),
    send: z
      .array(name, 'must be a list of names of webhooks')
      .check(z.minLength(1, 'must name at least one webhook')),
  },
  'must have the fields name, events and send',
);

const document = z.strictObject(
  {
    webhooks: z
      .array(webhook, 'must be a list of webhooks')
      .check(z.maxLength(MAX_WEBHOOKS, `must have at most ${MAX_WEBHOOKS} entries`)),
    rules: z
      .array(rule, 'must be a list of rules')
      .check(z.maxLength(MAX_RULES, `must have at most ${MAX_RULES} entries`)),
  },
  'must have the lists webhooks and rules',
);

type Document = z.infer<typeof document>;

/** The place of a fault, with the name of its webhook or rule: `rule degraded, send.0`. */
function placeOf(path: readonly PropertyKey[], json: unknown): string {
  const [list, index, ...rest] = path;
  if (list === undefined) return 'the document';
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
    names.indexOf(one) === index
      ? []
      : [{ path: [list, index], message: 'the name is used twice: give another one' }],
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
      .map((receiver) => {
        const near = nearestName(receiver, known);
        const hint = near === undefined ? '' : `: did you mean ${near}?`;
        return {
          path: ['rules', index, 'send'],
          message: `there is no webhook ${receiver}${hint}`,
        };
      }),
  );
}

/** The fields of what is at a path. */
function fieldsAt([list, index]: FieldPath): readonly string[] {
  if (list === undefined) return Object.keys(document.shape);
  return Object.keys((index !== undefined && list === 'rules' ? rule : webhook).shape);
}

function unknownField(path: FieldPath, field: string): Fault {
  const known = fieldsAt(path);
  const near = nearestName(field, known);
  const hint = near === undefined ? `the fields are ${known.join(', ')}` : `did you mean ${near}?`;
  return { path: [...path, field], message: `there is no field ${field}: ${hint}` };
}

/** The faults of the form of a document. */
function formFaults({ issues }: z.core.$ZodError): readonly Fault[] {
  return issues.flatMap((issue): readonly Fault[] => {
    const { path, message } = issue;
    if (issue.code !== 'unrecognized_keys') return [{ path, message }];
    return issue.keys.map((field) => unknownField(path, field));
  });
}

/** Webhooks whose name another receiver has. */
function takenNames({ webhooks }: Document, others: readonly string[]): readonly Fault[] {
  return webhooks.flatMap(({ name: one }, index) =>
    others.includes(one)
      ? [{ path: ['webhooks', index, 'name'], message: 'the name is reserved: give another one' }]
      : [],
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
  const texts = faults.map(
    ({ path, message }) => `line ${lineOf(path)}: ${placeOf(path, value)}: ${message}`,
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
