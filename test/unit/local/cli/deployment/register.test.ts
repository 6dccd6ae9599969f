import { beforeEach, describe, expect, it } from 'vitest';
import {
  BEING_REMOVED,
  EVERY_WEC_STAYS,
  LIST_OF_ALL,
  NO_REGISTRATION,
  NO_SOURCE,
  NO_TERMINAL,
  NOTHING_REMOVED,
  notRegisteredFor,
  registered,
  registeredAlready,
  removed,
  removeQuestion,
  unknownSource,
  unregistered,
} from '#local/cli/register/messages.ts';
import {
  isAccount,
  isSession,
  NO_PRINCIPAL,
  NOT_A_SOURCE,
  notAnArn,
  notAnId,
  notInAccount,
  TWO_PRINCIPALS,
} from '#local/cli/register/principal-messages.ts';
import {
  type RegisterOptions,
  runRegister,
  runUnregister,
  type UnregisterOptions,
} from '#local/cli/register/register-run.ts';
import { parseSource } from '#local/cli/register/register-source.ts';
import type { Question } from '#local/cli/terminal/question.ts';
import type { EventSource } from '#shared/core/event.ts';
import { heartbeatItem, readHeartbeats } from '#shared/state/heartbeats.ts';
import { EVERY_WEC, registerSender, sendersOf } from '#shared/state/senders.ts';
import { putSilence, readSilence } from '#shared/state/silence.ts';
import { createFakeAccount, createFakeTerminal, type FakeAccount, NOW_MS } from './fake-account.ts';

const WEC = { type: 'wec', name: 'cluster1' } as const;
const WDS = { type: 'wds', name: 'wds1' } as const;
const ROLE = 'arn:aws:iam::111122223333:role/team/forwarder';
const USER = 'arn:aws:iam::111122223333:user/forwarder';
const ROOT = 'arn:aws:iam::111122223333:root';
const NAMELESS = 'arn:aws:iam::111122223333:role/';
const SESSION = 'arn:aws:sts::111122223333:assumed-role/forwarder/session';

let account: FakeAccount;

beforeEach(() => {
  account = createFakeAccount();
  account.principals.set('role/forwarder', { id: 'AROAFORWARDER', arn: ROLE });
  account.principals.set('user/forwarder', { id: 'AIDAFORWARDER', arn: USER });
});

type Given = Partial<RegisterOptions>;

async function register(source: EventSource | undefined, given: Given): Promise<string> {
  const terminal = createFakeTerminal(account);
  const options = { stage: 'prod', output: 'table', ...given } as const;
  await runRegister(source, options, { account, terminal });
  return terminal.written;
}

/** Runs the command; without an answer there is nobody to ask. */
async function unregisterAsked(
  source: EventSource,
  given: Partial<UnregisterOptions>,
  answer?: boolean,
): Promise<{ readonly out: string; readonly asked: readonly string[]; readonly told: string }> {
  const terminal = createFakeTerminal(account);
  const asked: string[] = [];
  const question: Question = {
    isPossible: answer !== undefined,
    ask: async (text) => {
      asked.push(text);
      return answer === true;
    },
  };
  await runUnregister(source, { stage: 'prod', ...given }, { account, terminal, question });
  return { out: terminal.written, asked, told: terminal.notices.join() };
}

async function unregister(
  source: EventSource,
  given: Partial<UnregisterOptions> = { yes: true },
): Promise<string> {
  return (await unregisterAsked(source, given)).out;
}

describe('parseSource', () => {
  it.each([
    ['wec/cluster1', WEC],
    ['wds/wds1', WDS],
    ['fleet/upstream1', { type: 'fleet', name: 'upstream1' }],
    ['wec/*', EVERY_WEC],
  ])('reads %s', (text, source) => {
    expect(parseSource(text)).toEqual(source);
  });

  it.each([
    'cluster1',
    'wec/',
    'its/one',
    'wec/a/b',
    'wec/a b',
    'wec/$(x)',
    '/wec/a',
    'wds/*',
    'fleet/*',
    'fleet/',
    'wec/a*',
    '*',
    'wec/**',
  ])('rejects %s', (text) => {
    expect(() => parseSource(text)).toThrow(NOT_A_SOURCE);
  });
});

describe('starfold register', () => {
  it.each([
    [ROLE, 'AROAFORWARDER', ROLE],
    [USER, 'AIDAFORWARDER', USER],
    [SESSION, 'AROAFORWARDER', ROLE],
  ])('looks up the unique identifier of %s', async (role, principal, arn) => {
    expect(await register(WEC, { role })).toBe(
      `wec/cluster1: ${registered(WEC, `${principal} (${arn})`)}\n`,
    );
    expect(await sendersOf(account.store, WEC)).toEqual([{ source: WEC, principal, arn }]);
  });

  it('takes a unique identifier', async () => {
    await register(WDS, { principal: 'AROAOTHER' });
    expect(await sendersOf(account.store, WDS)).toEqual([{ source: WDS, principal: 'AROAOTHER' }]);
  });

  it('registers a second principal, and names the first', async () => {
    await register(WEC, { role: ROLE });
    expect(await register(WEC, { principal: 'AROANEW' })).toBe(
      `wec/cluster1: ${registered(WEC, 'AROANEW', `AROAFORWARDER (${ROLE})`)}\n`,
    );
    expect(await sendersOf(account.store, WEC)).toHaveLength(2);
  });

  it.each([{ role: ROLE }, { principal: 'AROAFORWARDER' }])(
    'says of a registration that is there already that nothing changes: %o',
    async (again) => {
      await register(WEC, { role: ROLE });
      expect(await register(WEC, again)).toBe(
        `wec/cluster1: ${registeredAlready(`AROAFORWARDER (${ROLE})`)}\n`,
      );
      expect(await sendersOf(account.store, WEC)).toEqual([
        { source: WEC, principal: 'AROAFORWARDER', arn: ROLE },
      ]);
    },
  );

  it('adds the ARN to a registration that had none', async () => {
    await register(WEC, { principal: 'AROAFORWARDER' });
    await register(WEC, { role: ROLE });
    expect(await sendersOf(account.store, WEC)).toMatchObject([{ arn: ROLE }]);
  });

  it.each([
    ['arn:aws:iam::111122223333:role/nobody', '111122223333', 'nobody'],
    ['arn:aws:iam::444455556666:role/team/forwarder', '444455556666', 'forwarder'],
  ])(
    'explains how to find out the identifier of a role of a different account: %s',
    async (role, inAccount, name) => {
      await expect(register(WEC, { role })).rejects.toThrow(
        notInAccount(role, { account: inAccount, type: 'role', name }),
      );
    },
  );

  it('gives the command that finds out the identifier of a user', async () => {
    const role = 'arn:aws:iam::444455556666:user/someone';
    await expect(register(WEC, { role })).rejects.toThrow(
      notInAccount(role, { account: '444455556666', type: 'user', name: 'someone' }),
    );
  });

  it.each<[string, typeof WEC | undefined, Given]>([
    [NO_PRINCIPAL, WEC, {}],
    [TWO_PRINCIPALS, WEC, { role: ROLE, principal: 'AROAX' }],
    [notAnArn('forwarder'), WEC, { role: 'forwarder' }],
    [notAnArn(ROOT), WEC, { role: ROOT }],
    [notAnArn(NAMELESS), WEC, { role: NAMELESS }],
    [notAnId(ROLE), WEC, { principal: ROLE }],
    [isSession('AROAOTHER:session', 'AROAOTHER'), WEC, { principal: 'AROAOTHER:session' }],
    [isAccount('111122223333:fwd', '111122223333'), WEC, { principal: '111122223333:fwd' }],
    [isAccount('111122223333', '111122223333'), WEC, { principal: '111122223333' }],
    [NO_SOURCE, undefined, { principal: 'AROAX' }],
    [LIST_OF_ALL, WEC, { list: true }],
  ])('rejects wrong usage: %s', async (message, source, given) => {
    const attempt = register(source, given);
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('registers and removes a principal for every WEC, and reports it', async () => {
    expect(await register(EVERY_WEC, { role: ROLE })).toBe(
      `wec/*: ${registered(EVERY_WEC, `AROAFORWARDER (${ROLE})`)}\n`,
    );
    expect(await register(undefined, { list: true })).toBe(`wec/*  AROAFORWARDER (${ROLE})\n`);
    expect(await unregister(EVERY_WEC, { role: ROLE })).toBe(
      `wec/*: ${unregistered(EVERY_WEC, `AROAFORWARDER (${ROLE})`, 0)}\n`,
    );
    expect(await sendersOf(account.store, EVERY_WEC)).toEqual([]);
  });

  it('lists the registrations', async () => {
    expect(await register(undefined, { list: true })).toBe(NO_REGISTRATION);
    await register(WEC, { role: ROLE });
    await register(WDS, { principal: 'AROAOTHER' });
    expect(await register(undefined, { list: true })).toBe(
      `wds/wds1      AROAOTHER\nwec/cluster1  AROAFORWARDER (${ROLE})\n`,
    );
    expect(JSON.parse(await register(undefined, { list: true, output: 'json' }))).toEqual({
      registrations: [
        { source: 'wds/wds1', principal: 'AROAOTHER' },
        { source: 'wec/cluster1', principal: 'AROAFORWARDER', arn: ROLE },
      ],
    });
  });
});

describe('starfold unregister', () => {
  it('removes one registration and reports whether others are left', async () => {
    await register(WEC, { role: ROLE });
    await register(WEC, { principal: 'AROANEW' });
    const told = (text: string): string => `wec/cluster1: ${text}\n`;
    expect(await unregister(WEC, { role: ROLE })).toBe(
      told(unregistered(WEC, `AROAFORWARDER (${ROLE})`, 1)),
    );
    const last = { principal: 'AROANEW' };
    expect(await unregister(WEC, last)).toBe(told(unregistered(WEC, 'AROANEW', 0)));
    expect(await unregister(WEC, last)).toBe(told(notRegisteredFor('AROANEW')));
    expect(await sendersOf(account.store, WEC)).toEqual([]);
  });

  it('removes a WEC with its heartbeat, its silence and its reports', async () => {
    await register(WEC, { role: ROLE });
    const version = { epoch: 1, sequence: 1 };
    await account.store.put([{ item: heartbeatItem(WEC, version, NOW_MS) }]);
    const entry = { name: 'cluster1', heartbeat: '1', silent: true, notified: true };
    await putSilence(account.store, [entry], NOW_MS);
    expect(await unregister(WEC)).toBe(
      `wec/cluster1: ${removed(`AROAFORWARDER (${ROLE})`)}${BEING_REMOVED}\n`,
    );
    expect(await sendersOf(account.store, WEC)).toEqual([]);
    expect(await readHeartbeats(account.store)).toEqual([]);
    expect(await readSilence(account.store)).toEqual(new Map());
    expect(await account.queues.dirty.counts()).toMatchObject({ visible: 1 });
  });

  it.each([{ yes: true }, {}])('does not remove every WEC at once: %o', async (given) => {
    await register(EVERY_WEC, { role: ROLE });
    const attempt = unregisterAsked(EVERY_WEC, given, true);
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
    await expect(attempt).rejects.toThrow(EVERY_WEC_STAYS);
    expect(await sendersOf(account.store, EVERY_WEC)).toHaveLength(1);
  });

  it('names the principals that may still report a removed WEC, because they may report every WEC', async () => {
    await register(EVERY_WEC, { principal: 'AROAITS' });
    await register(WEC, { role: ROLE });
    expect(await unregister(WEC)).toContain(removed(`AROAFORWARDER (${ROLE})`, 'AROAITS'));
    await register(WDS, { role: ROLE });
    expect(await unregister(WDS)).toContain(removed(`AROAFORWARDER (${ROLE})`));
  });

  it('removes a WDS with its heartbeat', async () => {
    await register(WDS, { principal: 'AROAOTHER' });
    const item = heartbeatItem(WDS, { epoch: 1, sequence: 1 }, NOW_MS);
    await account.store.put([{ item }]);
    expect(await unregister(WDS)).toBe(`wds/wds1: ${removed('AROAOTHER')}\n`);
    expect(await account.store.get([item])).toEqual([undefined]);
    expect(await sendersOf(account.store, WDS)).toEqual([]);
  });

  it('removes a source that has reported and has no registration', async () => {
    await account.store.put([{ item: heartbeatItem(WEC, { epoch: 1, sequence: 1 }, NOW_MS) }]);
    expect(await unregister(WEC)).toBe(`wec/cluster1: ${removed('')}${BEING_REMOVED}\n`);
    expect(await readHeartbeats(account.store)).toEqual([]);
  });

  it.each([
    [WEC, removeQuestion(WEC, 'wec/cluster1')],
    [WDS, removeQuestion(WDS, 'wds/wds1')],
    [
      { type: 'fleet', name: 'upstream1' } as const,
      removeQuestion({ type: 'fleet', name: 'upstream1' }, 'fleet/upstream1'),
    ],
  ])('asks before it removes a source: %o', async (source, question) => {
    await register(source, { principal: 'AROAOTHER' });
    expect(await unregisterAsked(source, {}, false)).toEqual({
      out: '',
      asked: [question],
      told: NOTHING_REMOVED,
    });
    expect(await sendersOf(account.store, source)).toHaveLength(1);
    const { out, asked } = await unregisterAsked(source, {}, true);
    expect(asked).toEqual([question]);
    expect(out).toContain(removed('AROAOTHER'));
    expect(await sendersOf(account.store, source)).toEqual([]);
  });

  it('requires --yes without a terminal, but not for one registration', async () => {
    await register(WEC, { principal: 'AROAOTHER' });
    const attempt = unregisterAsked(WEC, {});
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
    await expect(attempt).rejects.toThrow(NO_TERMINAL);
    expect(await sendersOf(account.store, WEC)).toHaveLength(1);
    expect((await unregisterAsked(WEC, { principal: 'AROAOTHER' })).asked).toEqual([]);
    expect(await sendersOf(account.store, WEC)).toEqual([]);
  });

  it('also removes a registration that is no longer allowed', async () => {
    const principal = '111122223333';
    await registerSender(account.store, { source: WEC, principal });
    expect(await unregister(WEC, { principal })).toContain(unregistered(WEC, principal, 0));
  });

  it.each([WEC, WDS])('fails for a source that is not known: %o', async (source) => {
    const attempt = unregister(source);
    await expect(attempt).rejects.toMatchObject({ name: 'InputError' });
    await expect(attempt).rejects.toThrow(unknownSource(`${source.type}/${source.name}`));
    expect(await account.queues.dirty.counts()).toMatchObject({ visible: 0 });
  });

  it('rejects two ways to name one principal', async () => {
    await expect(unregister(WEC, { role: ROLE, principal: 'AROAX' })).rejects.toThrow(
      TWO_PRINCIPALS,
    );
  });
});
