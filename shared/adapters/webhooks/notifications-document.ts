import { parseDocument } from 'yaml';
import * as z from 'zod/mini';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules, type Rule } from '#shared/core/notification/rules.ts';
import { TOPIC_TYPES, type TopicType } from '#shared/core/notification/topic.ts';
import { AppError } from '#shared/errors.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';

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
const PREFIX = 'whsec_';
/** The sizes of a key (Standard Webhooks, "Signature scheme"). */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const MAX_WEBHOOKS = 20;
const MAX_RULES = 50;
const MAX_EXPRESSION = 4096;
const TYPES = Object.values(EVENT_TYPES);
const TYPES_RULE = `must be a list of event types: ${TYPES.join(', ')}`;

function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  const isCanonical = bytes.toString('base64') === base64;
  return isCanonical && bytes.length >= MIN_KEY_BYTES && bytes.length <= MAX_KEY_BYTES;
}

const URL_RULE =
  'must be an https:// or http:// URL without a user and a password: the signature shows who sends';

function isUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '';
}

const name = z.string(NAME_RULE).check(z.regex(NAME, NAME_RULE));
const secret = z.string(SECRET_RULE).check(z.refine(isSecret, SECRET_RULE));
const EXPRESSION_RULE = `must be a CEL expression of 1 to ${MAX_EXPRESSION} characters, as a string`;
const expression = z
  .string(EXPRESSION_RULE)
  .check(z.minLength(1, EXPRESSION_RULE), z.maxLength(MAX_EXPRESSION, EXPRESSION_RULE));

const webhook = z.strictObject({
  name,
  url: z.string(URL_RULE).check(z.refine(isUrl, URL_RULE)),
  secret: z.union(
    [secret, z.array(secret).check(z.minLength(1, SECRET_RULE), z.maxLength(2, SECRET_RULE))],
    SECRET_RULE,
  ),
});

const rule = z.strictObject({
  name,
  events: z.array(z.enum(TYPES, TYPES_RULE), TYPES_RULE).check(z.minLength(1, TYPES_RULE)),
  condition: z.exactOptional(expression),
  oncePer: z.exactOptional(expression),
  send: z
    .array(name, 'must be a list of names of webhooks')
    .check(z.minLength(1, 'must name at least one webhook')),
});

const document = z.strictObject({
  webhooks: z
    .array(webhook, 'must be a list of webhooks')
    .check(z.maxLength(MAX_WEBHOOKS, `must have at most ${MAX_WEBHOOKS} entries`)),
  rules: z
    .array(rule, 'must be a list of rules')
    .check(z.maxLength(MAX_RULES, `must have at most ${MAX_RULES} entries`)),
});

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

function repeated(kind: string, entries: readonly { readonly name: string }[]): readonly string[] {
  const names = entries.map((entry) => entry.name);
  const twice = new Set(names.filter((one, index) => names.indexOf(one) !== index));
  return [...twice].map((one) => `${kind} ${one}: the name is used twice`);
}

function unknownReceivers({ webhooks, rules }: Document): readonly string[] {
  const known = new Set(webhooks.map((one) => one.name));
  return rules.flatMap((one) =>
    one.send
      .filter((receiver) => !known.has(receiver))
      .map((receiver) => `rule ${one.name}, send: there is no webhook ${receiver}`),
  );
}

function parseText(place: string, text: string): unknown {
  const parsed = parseDocument(text, { ...KUBECTL_YAML, prettyErrors: false });
  const [error] = parsed.errors;
  // The messages of the library may contain a secret. Its codes do not.
  if (error === undefined) return parsed.toJS();
  const fault = `it is not valid YAML (the parser reports ${error.code})`;
  throw new NotificationsError({ place, fault });
}

/** The faults of the form of a document. */
function formFaults(error: z.core.$ZodError, json: unknown): readonly string[] {
  return error.issues.map(({ path, message }) => `${placeOf(path, json)}: ${message}`);
}

/** The faults of names. */
function nameFaults(known: Document): readonly string[] {
  return [
    ...repeated('webhook', known.webhooks),
    ...repeated('rule', known.rules),
    ...unknownReceivers(known),
  ];
}

/**
 * Reads a document of notifications, in YAML or JSON (docs/notifications.md).
 *
 * @param place where the document is, for errors
 * @throws NotificationsError with the faults: of its form, or else of its names, or else of its expressions
 */
export function parseNotifications(place: string, text: string): Notifications {
  const check = (faults: readonly string[]): void => {
    if (faults.length > 0)
      throw new NotificationsError({ place, fault: [...new Set(faults)].join('; ') });
  };
  const json = parseText(place, text);
  const { data, error } = document.safeParse(json);
  if (data === undefined) {
    const faults = formFaults(error, json);
    throw new NotificationsError({ place, fault: [...new Set(faults)].join('; ') });
  }
  check(nameFaults(data));
  const compiled = compileRules(data.rules);
  check(compiled.faults.map((one) => `rule ${one.rule}, ${one.field}: ${one.message}`));
  const webhooks = data.webhooks.map(({ secret: secrets, ...one }) => ({
    ...one,
    secrets: [secrets].flat(),
  }));
  return { webhooks, rules: compiled.rules };
}

/** The types of the topics that a rule concerns. Nothing is sent about the others. */
export function notifiedTopics(rules: readonly Rule[]): ReadonlySet<TopicType> {
  return new Set(
    TOPIC_TYPES.filter((type) => rules.some(({ events }) => events.has(EVENT_TYPES[type]))),
  );
}
