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
    ['YAML', 'a: [', 'it is not valid YAML (the parser reports '],
    ['a map', '7', 'the document: '],
    ['webhooks', { rules: [] }, 'webhooks: must be a list of webhooks'],
    ['known fields', { webhooks: [], rules: [], x: 1 }, 'the document: '],
    [
      'names',
      { webhooks: [{ ...WEBHOOK, name: 'A_B' }], rules: [] },
      'webhook A_B, name: must be 1 to 63 lower-case letters',
    ],
    ['entries', { webhooks: [7], rules: [] }, 'webhooks[0]: '],
    [
      'URLs',
      { webhooks: [{ ...WEBHOOK, url: 'ftp://x' }], rules: [] },
      'webhook chat, url: must be an https:// or http:// URL',
    ],
    [
      'URLs without a password',
      { webhooks: [{ ...WEBHOOK, url: 'https://u:p@x/' }], rules: [] },
      'webhook chat, url: must be an https:// or http:// URL without a user and a password',
    ],
    [
      'texts that are URLs',
      { webhooks: [{ ...WEBHOOK, url: 'x' }], rules: [] },
      'webhook chat, url',
    ],
    [
      'event types',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, events: ['x'] }] },
      'rule degraded, events.0: must be a list of event types: dev.starfold.',
    ],
    [
      'receivers',
      { webhooks: [WEBHOOK], rules: [{ ...RULE, send: ['pager'] }] },
      'rule degraded, send: there is no webhook pager',
    ],
    [
      'one webhook of a name',
      { webhooks: [WEBHOOK, WEBHOOK], rules: [] },
      'webhook chat: the name is used twice',
    ],
    [
      'one rule of a name',
      { webhooks: [WEBHOOK], rules: [RULE, RULE] },
      'rule degraded: the name is used twice',
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
    ['another form', 'secret'],
    ['no prefix', SECRET.slice('whsec_'.length)],
    ['too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['no base64', `whsec_${'#'.repeat(40)}`],
    ['an empty list', []],
    ['three secrets', [SECRET, OTHER, SECRET]],
  ])('does not accept a secret of %s, and does not show it', (_what, secret) => {
    const text = fault({ webhooks: [{ ...WEBHOOK, secret }], rules: [] });
    expect(text).toContain('webhook chat, secret');
    for (const one of [secret].flat()) expect(text).not.toContain(`${one}`.slice(6, 20) || '#');
  });

  it('that is no YAML does not show what is in it', () => {
    expect(fault(`webhooks: [${SECRET}`)).not.toContain(SECRET.slice(6));
  });
});
