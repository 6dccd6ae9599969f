// The faults of a document of notifications. Those about a field follow its line and place, and a colon. No sentence quotes what may
// be a secret.

export const EMPTY =
  'it is empty: give the lists webhooks and rules, as docs/notifications.md shows, or leave --notifications out';

/** A text with several documents. */
export const SECOND_DOCUMENT = 'a second document begins: put everything into one';

export const REPEATED_FIELD = 'a field is there twice: remove one';

/** `detail` is what the parser says, without anything of the text. */
export function noYaml(detail: string): string {
  return `it is not valid YAML (${detail})`;
}

/** The detail of {@link noYaml} for an error of the parser. */
export function parserReports(code: string): string {
  return `the parser reports ${code}`;
}

/** A detail of {@link noYaml}. */
export const INVALID_ALIASES = 'an alias has no anchor, or there are too many';

/** `fault` is one of the text. */
export function atLine(line: number, fault: string): string {
  return `line ${line}: ${fault}`;
}

/** In the place of the path of a field. */
export const WHOLE_DOCUMENT = 'the document';

/** A name of a webhook or a rule. */
export const INVALID_NAME =
  'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at the beginning or end';

export const REPEATED_NAME = 'the name is used twice: give another one';

/** The name of a webhook. */
export const RESERVED_NAME = 'the name is reserved: give another one';

/** What a secret begins with. */
export const SECRET_PREFIX = 'whsec_';

export const INVALID_SECRETS = `must be ${SECRET_PREFIX} and the base64 of 24 to 64 random bytes, or a list of one or two such texts`;

/** `fault` is one of the three below, or {@link NO_TEXT}. */
export function invalidSecret(fault: string): string {
  return `${INVALID_SECRETS}: ${fault}: make one with echo "${SECRET_PREFIX}$(openssl rand -base64 32)"`;
}

export const OTHER_PREFIX = `it does not begin with ${SECRET_PREFIX}`;

export const NO_BASE64 = `what follows ${SECRET_PREFIX} is not base64`;

export function keySize(bytes: number): string {
  return `it has ${bytes} bytes`;
}

export const NO_TEXT = 'it is not text';

export const INVALID_URL = 'must be an https:// URL without a user and a password';

/** A URL with a user or a password. */
export const URL_WITH_USER = `${INVALID_URL}: the signature shows who sends`;

/** A URL of another machine. */
export const PLAIN_HTTP =
  'must be an https:// URL: http:// is only for this machine (localhost, 127.0.0.1, [::1])';

/** `types` are all that there are. */
export function noEventTypes(types: readonly string[]): string {
  return `must be a list of event types: ${types.join(', ')}`;
}

/** `near` is the similar name of a type. `types` are all that there are. */
export function unknownEventType(
  text: string,
  near: string | undefined,
  types: readonly string[],
): string {
  const hint = near === undefined ? `the types are ${types.join(', ')}` : `did you mean ${near}?`;
  return `${text} is not a type of event: ${hint}`;
}

/** The expression of a rule. */
export function noExpression(maxCharacters: number): string {
  return `must be a CEL expression of 1 to ${maxCharacters} characters, as a string`;
}

export const NO_WEBHOOK = 'must have the fields name, url and secret';

export const NO_RULE = 'must have the fields name, events and send';

/** What a rule sends to. */
export const NO_RECEIVERS = 'must be a list of names of webhooks';

/** A rule that sends to nobody. */
export const EMPTY_RECEIVERS = 'must name at least one webhook';

export const NO_DOCUMENT = 'must have the lists webhooks and rules';

export const NO_WEBHOOKS = 'must be a list of webhooks';

export const NO_RULES = 'must be a list of rules';

/** Webhooks or rules. */
export function longList(max: number): string {
  return `must have at most ${max} entries`;
}

/** `near` is the similar name of a receiver. */
export function unknownReceiver(receiver: string, near: string | undefined): string {
  return `there is no webhook ${receiver}${near === undefined ? '' : `: did you mean ${near}?`}`;
}

/** `near` is the similar name of one of `known`, the fields that there are. */
export function unknownField(
  field: string,
  near: string | undefined,
  known: readonly string[],
): string {
  const hint = near === undefined ? `the fields are ${known.join(', ')}` : `did you mean ${near}?`;
  return `there is no field ${field}: ${hint}`;
}
