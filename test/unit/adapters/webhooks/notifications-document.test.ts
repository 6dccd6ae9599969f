import { describe, expect, it } from 'vitest';
import {
  NotificationsError,
  notifiedTopics,
  parseNotifications,
} from '#shared/adapters/webhooks/notifications-document.ts';

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
    ['YAML', 'a: [', 'line 1: it is not valid YAML (the parser reports '],
    ['a map', '7', 'line 1: the document: must have the lists webhooks and rules'],
    ['webhooks', { rules: [] }, 'webhooks: must be a list of webhooks'],
    [
      'known fields',
      { webhooks: [], rules: [], x: 1 },
      'x: there is no field x: the fields are webhooks, rules',
    ],
    [
      'names',
      { webhooks: [{ ...WEBHOOK, name: 'A_B' }], rules: [] },
      'webhook A_B, name: must be 1 to 63 lower-case letters',
    ],
    [
      'entries',
      { webhooks: [7], rules: [] },
      'webhooks[0]: must have the fields name, url and secret',
    ],
    [
      'URLs',
      { webhooks: [{ ...WEBHOOK, url: 'ftp://x' }], rules: [] },
      'webhook chat, url: must be an https:// URL without',
    ],
    [
      'URLs without a password',
      { webhooks: [{ ...WEBHOOK, url: 'https://u:p@x/' }], rules: [] },
      'webhook chat, url: must be an https:// URL without a user and a password: the signature',
    ],
    [
      'texts that are URLs',
      { webhooks: [{ ...WEBHOOK, url: 'x' }], rules: [] },
      'webhook chat, url',
    ],
    [
      'event types',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, events: ['x'] }] },
      'rule degraded, events.0: x is not a type of event: the types are dev.starfold.',
    ],
    [
      'receivers',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, send: ['pager'] }] },
      'rule degraded, send: there is no webhook pager',
    ],
    [
      'one webhook of a name',
      { webhooks: [WEBHOOK, WEBHOOK], rules: [] },
      'webhook chat: the name is used twice: give another one',
    ],
    [
      'one rule of a name',
      { webhooks: [WEBHOOK], rules: [RULE, RULE] },
      'rule degraded: the name is used twice: give another one',
    ],
    [
      'expressions',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, condition: 'event.data ==' }] },
      'rule degraded, condition: line 1, column ',
    ],
    [
      'expressions that are not empty',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, oncePer: '' }] },
      'rule degraded, oncePer: must be a CEL expression',
    ],
  ])('needs %s', (_what, document, expected) => {
    expect(fault(document)).toMatch(/^notifications n\.yaml: /);
    expect(fault(document)).toContain(expected);
  });

  it.each([
    ['another form', 'secret', 'it does not begin with whsec_: make one with '],
    ['no prefix', SECRET.slice('whsec_'.length), 'it does not begin with whsec_'],
    ['too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`, 'it has 23 bytes'],
    ['too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`, 'it has 65 bytes'],
    ['no base64', `whsec_${'#'.repeat(40)}`, 'what follows whsec_ is not base64'],
    ['one of two too short', [SECRET, `whsec_${'A'.repeat(8)}`], 'it has 6 bytes'],
    ['a number', 77777777777, 'it is not text'],
    ['nothing', null, 'it is not text'],
    ['an empty list', [], 'or a list of one or two'],
    ['three secrets', [SECRET, OTHER, SECRET], 'or a list of one or two'],
  ])('does not accept a secret of %s, and does not show it', (_what, secret, expected) => {
    const text = fault({ webhooks: [{ ...WEBHOOK, secret }], rules: [] });
    expect(text).toContain(expected);
    expect(text).toContain('webhook chat, secret');
    for (const one of [secret].flat().filter((part) => part !== null))
      expect(text).not.toContain(`${one}`.slice(6, 20) || '#');
  });

  it.each([
    ['', 'it is empty: give the lists webhooks and rules'],
    ['# nothing\n', 'it is empty: '],
    ['webhooks: []\nrules: []\n---\nrules: []\n', 'line 3: a second document begins: '],
    ['webhooks: []\nwebhooks: []\nrules: []\n', 'line 2: a field is there twice: remove one'],
    ['webhooks: *a\nrules: []\n', 'it is not valid YAML (an alias has no anchor'],
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
      'notifications n.yaml: line 11: rule chat: the name is used twice: give another one; line 6: rule chta, send: there is no webhook chta: did you mean chat?',
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
      expect(fault({ webhooks: [{ ...WEBHOOK, url }], rules: [] })).toContain(
        'http:// is only for',
      );
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
    'there is no webhook event-bus',
  );
  const taken = { webhooks: [{ ...WEBHOOK, name: 'event-bus' }], rules };
  expect(() => parseNotifications('f', text(taken), ['event-bus'])).toThrow(
    'webhook event-bus, name: the name is reserved',
  );
});
