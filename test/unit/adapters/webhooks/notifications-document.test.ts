import { describe, expect, it } from 'vitest';
import {
  atLine,
  EMPTY,
  INVALID_ALIASES,
  INVALID_NAME,
  INVALID_SECRETS,
  INVALID_URL,
  invalidSecret,
  keySize,
  NO_BASE64,
  NO_DOCUMENT,
  NO_TEXT,
  NO_WEBHOOK,
  NO_WEBHOOKS,
  noExpression,
  noYaml,
  OTHER_PREFIX,
  PLAIN_HTTP,
  parserReports,
  REPEATED_FIELD,
  REPEATED_NAME,
  RESERVED_NAME,
  SECOND_DOCUMENT,
  URL_WITH_USER,
  unknownEventType,
  unknownField,
  unknownReceiver,
  WHOLE_DOCUMENT,
} from '#shared/adapters/webhooks/document-messages.ts';
import {
  NotificationsError,
  notifiedTopics,
  parseNotifications,
} from '#shared/adapters/webhooks/notifications-document.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(64, 2).toString('base64')}`;
const WEBHOOK = { name: 'chat', url: 'https://hooks.example.com/a', secret: SECRET };
const RULE = { name: 'degraded', events: ['dev.starfold.verdict.changed.v1'], send: ['chat'] };

function fault(document: unknown): string {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  try {
    parseNotifications('n.yaml', text);
  } catch (error) {
    if (error instanceof NotificationsError) return error.message;
    throw error;
  }
  return 'none';
}

describe('a document of notifications', () => {
  it('in YAML has webhooks and rules', () => {
    const { webhooks, rules } = parseNotifications(
      'n.yaml',
      `
webhooks:
  - { name: chat, url: https://hooks.example.com/a, secret: ${SECRET} }
  - name: pager
    url: http://127.0.0.1:8080/
    secret: [${SECRET}, ${OTHER}]
rules:
  - name: degraded
    events: [dev.starfold.verdict.changed.v1, dev.starfold.silence.changed.v1]
    condition: event.data.status == 'Degraded'
    oncePer: event.subject
    send: [chat, pager]
`,
    );
    expect(webhooks).toEqual([
      { name: 'chat', url: 'https://hooks.example.com/a', secrets: [SECRET] },
      { name: 'pager', url: 'http://127.0.0.1:8080/', secrets: [SECRET, OTHER] },
    ]);
    expect(rules).toMatchObject([
      {
        name: 'degraded',
        condition: { type: 'bool' },
        oncePer: { text: 'event.subject' },
        send: ['chat', 'pager'],
      },
    ]);
    expect([...notifiedTopics(rules)]).toEqual(['verdict', 'silence']);
  });

  it('in JSON may have nothing', () => {
    expect(parseNotifications('n', '{"webhooks": [], "rules": []}')).toEqual({
      webhooks: [],
      rules: [],
    });
    expect([...notifiedTopics([])]).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['YAML', 'a: [', atLine(1, noYaml(parserReports('BAD_INDENT')))],
    ['a map', '7', atLine(1, `${WHOLE_DOCUMENT}: ${NO_DOCUMENT}`)],
    ['webhooks', { rules: [] }, `webhooks: ${NO_WEBHOOKS}`],
    [
      'known fields',
      { webhooks: [], rules: [], x: 1 },
      `x: ${unknownField('x', undefined, ['webhooks', 'rules'])}`,
    ],
    [
      'names',
      { webhooks: [{ ...WEBHOOK, name: 'A_B' }], rules: [] },
      `webhook A_B, name: ${INVALID_NAME}`,
    ],
    ['entries', { webhooks: [7], rules: [] }, `webhooks[0]: ${NO_WEBHOOK}`],
    [
      'URLs',
      { webhooks: [{ ...WEBHOOK, url: 'ftp://x' }], rules: [] },
      `webhook chat, url: ${INVALID_URL}`,
    ],
    [
      'URLs without a password',
      { webhooks: [{ ...WEBHOOK, url: 'https://u:p@x/' }], rules: [] },
      `webhook chat, url: ${URL_WITH_USER}`,
    ],
    [
      'texts that are URLs',
      { webhooks: [{ ...WEBHOOK, url: 'x' }], rules: [] },
      'webhook chat, url',
    ],
    [
      'event types',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, events: ['x'] }] },
      `rule degraded, events.0: ${unknownEventType('x', undefined, Object.values(EVENT_TYPES))}`,
    ],
    [
      'receivers',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, send: ['pager'] }] },
      `rule degraded, send: ${unknownReceiver('pager', undefined)}`,
    ],
    [
      'one webhook of a name',
      { webhooks: [WEBHOOK, WEBHOOK], rules: [] },
      `webhook chat: ${REPEATED_NAME}`,
    ],
    [
      'one rule of a name',
      { webhooks: [WEBHOOK], rules: [RULE, RULE] },
      `rule degraded: ${REPEATED_NAME}`,
    ],
    [
      'expressions',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, condition: 'event.data ==' }] },
      'rule degraded, condition: line 1, column ',
    ],
    [
      'expressions that are not empty',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, oncePer: '' }] },
      `rule degraded, oncePer: ${noExpression(4096)}`,
    ],
  ])('needs %s', (_what, document, expected) => {
    expect(fault(document)).toMatch(/^notifications n\.yaml: /);
    expect(fault(document)).toContain(expected);
  });

  it.each([
    ['another form', 'secret', invalidSecret(OTHER_PREFIX)],
    ['no prefix', SECRET.slice('whsec_'.length), invalidSecret(OTHER_PREFIX)],
    ['too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`, invalidSecret(keySize(23))],
    ['too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`, invalidSecret(keySize(65))],
    ['no base64', `whsec_${'#'.repeat(40)}`, invalidSecret(NO_BASE64)],
    ['one of two too short', [SECRET, `whsec_${'A'.repeat(8)}`], invalidSecret(keySize(6))],
    ['a number', 77777777777, invalidSecret(NO_TEXT)],
    ['nothing', null, invalidSecret(NO_TEXT)],
    ['an empty list', [], INVALID_SECRETS],
    ['three secrets', [SECRET, OTHER, SECRET], INVALID_SECRETS],
  ])('does not accept a secret of %s, and does not show it', (_what, secret, expected) => {
    const text = fault({ webhooks: [{ ...WEBHOOK, secret }], rules: [] });
    expect(text).toContain(expected);
    expect(text).toContain('webhook chat, secret');
    for (const one of [secret].flat().filter((part) => part !== null))
      expect(text).not.toContain(`${one}`.slice(6, 20) || '#');
  });

  it.each([
    ['', EMPTY],
    ['# nothing\n', EMPTY],
    ['webhooks: []\nrules: []\n---\nrules: []\n', atLine(3, SECOND_DOCUMENT)],
    ['webhooks: []\nwebhooks: []\nrules: []\n', atLine(2, REPEATED_FIELD)],
    ['webhooks: *a\nrules: []\n', noYaml(INVALID_ALIASES)],
  ])('that is no document at all: %j', (text, expected) => {
    expect(fault(text)).toContain(`notifications n.yaml: ${expected}`);
  });

  it('has the line, the webhook or rule and the remedy of each fault', () => {
    const text = `webhooks:
  - name: chat
    urL: https://hooks.example.com/a
    url: http://hooks.example.com/a
    secret: ${SECRET}
rules:
  - name: degraded
    events: [dev.starfold.verdict.changed.v1, dev.starfold.silence.chnged.v1]
    conditon: "true"
    send: [chat]
`;
    expect(fault(text).split('; ')).toEqual([
      'notifications n.yaml: line 4: webhook chat, url: must be an https:// URL: http:// is only for this machine (localhost, 127.0.0.1, [::1])',
      'line 3: webhook chat, urL: there is no field urL: did you mean url?',
      'line 8: rule degraded, events.1: dev.starfold.silence.chnged.v1 is not a type of event: did you mean dev.starfold.silence.changed.v1?',
      'line 9: rule degraded, conditon: there is no field conditon: did you mean condition?',
    ]);
  });

  it('has the lines of faults between its parts', () => {
    const webhooks = `webhooks: [{ name: chat, url: "https://x/", secret: ${SECRET} }]\n`;
    const rule = (condition: string, send: string): string =>
      `  - name: ${send}\n    events: [dev.starfold.verdict.changed.v1]\n    condition: ${condition}\n    send: [${send}]\n`;
    const twice = `${webhooks}rules:\n${rule('"true"', 'chta')}${rule('"true"', 'chat')}${rule('"true"', 'chat')}`;
    expect(fault(twice)).toBe(
      `notifications n.yaml: line 11: rule chat: ${REPEATED_NAME}; line 6: rule chta, send: ${unknownReceiver('chta', 'chat')}`,
    );
    expect(fault(`${webhooks}rules:\n${rule('event.data ==', 'chat')}`)).toMatch(
      /^notifications n\.yaml: line 5: rule chat, condition: line 1, column \d+: /,
    );
    expect(fault(`${webhooks}rules:\n${rule('1 + 1', 'chat')}`)).toContain(
      'line 5: rule chat, condition: it is of type int: write an expression that is true or false',
    );
  });

  it.each(['http://127.0.0.1:8080/', 'http://localhost/', 'http://[::1]:1/', 'https://x/'])(
    'may have the URL %s',
    (url) => {
      expect(fault({ webhooks: [{ ...WEBHOOK, url }], rules: [] })).toBe('none');
    },
  );

  it.each(['http://x/', 'http://127.0.0.1.example.com/', 'http://10.0.0.1/'])(
    'may not send in plain text to %s',
    (url) => {
      expect(fault({ webhooks: [{ ...WEBHOOK, url }], rules: [] })).toContain(PLAIN_HTTP);
    },
  );

  it('needs a secret', () => {
    const { secret: _, ...without } = WEBHOOK;
    expect(fault({ webhooks: [without], rules: [] })).toContain('webhook chat, secret: must be');
  });

  it('that is no YAML does not show what is in it', () => {
    expect(fault(`webhooks: [${SECRET}`)).not.toContain(SECRET.slice(6));
  });
});

it('rules may name receivers besides the webhooks, whose names are reserved', () => {
  const text = (document: object): string => JSON.stringify(document);
  const rules = [{ ...RULE, send: ['event-bus'] }];
  const parsed = parseNotifications('f', text({ webhooks: [], rules }), ['event-bus']);
  expect(parsed.rules.map(({ send }) => send)).toEqual([['event-bus']]);
  expect(() => parseNotifications('f', text({ webhooks: [], rules }))).toThrow(
    unknownReceiver('event-bus', undefined),
  );
  const taken = { webhooks: [{ ...WEBHOOK, name: 'event-bus' }], rules };
  expect(() => parseNotifications('f', text(taken), ['event-bus'])).toThrow(
    `webhook event-bus, name: ${RESERVED_NAME}`,
  );
});
