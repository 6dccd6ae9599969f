import { beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '#local/cli/redrive-question.ts';
import {
  type RegisterOptions,
  runRegister,
  runUnregister,
  type UnregisterOptions,
} from '#local/cli/register-run.ts';
import { parseSource } from '#local/cli/register-source.ts';
import type { EventSource } from '#shared/core/event.ts';
import { heartbeatItem, readHeartbeats } from '#shared/state/heartbeats.ts';
import { EVERY_WEC, registerSender, sendersOf } from '#shared/state/senders.ts';
import { putSilence, readSilence } from '#shared/state/silence.ts';
import { createFakeAccount, createFakeTerminal, type FakeAccount, NOW_MS } from './fake-account.ts';

const WEC = { type: 'wec', name: 'cluster1' } as const;
const WDS = { type: 'wds', name: 'wds1' } as const;
const ROLE = 'arn:aws:iam::111122223333:role/team/forwarder';
const USER = 'arn:aws:iam::111122223333:user/forwarder';
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
  ])('refuses %s', (text) => {
    expect(() => parseSource(text)).toThrow('wec/NAME, wds/NAME or fleet/NAME');
  });
});

describe('starfold register', () => {
  it.each([
    [ROLE, 'AROAFORWARDER', ROLE],
    [USER, 'AIDAFORWARDER', USER],
    [SESSION, 'AROAFORWARDER', ROLE],
  ])('looks up the unique identifier of %s', async (role, principal, arn) => {
    expect(await register(WEC, { role })).toBe(
      `wec/cluster1: ${principal} (${arn}) may speak for it now\n`,
    );
    expect(await sendersOf(account.store, WEC)).toEqual([{ source: WEC, principal, arn }]);
  });

  it('takes a unique identifier', async () => {
    await register(WDS, { principal: 'AROAOTHER' });
    expect(await sendersOf(account.store, WDS)).toEqual([{ source: WDS, principal: 'AROAOTHER' }]);
  });

  it('registers another principal beside the first, and says so', async () => {
    await register(WEC, { role: ROLE });
    expect(await register(WEC, { principal: 'AROANEW' })).toBe(
      `wec/cluster1: AROANEW may speak for it now, beside AROAFORWARDER (${ROLE})\n`,
    );
    expect(await sendersOf(account.store, WEC)).toHaveLength(2);
  });

  it.each([{ role: ROLE }, { principal: 'AROAFORWARDER' }])(
    'says of a registration that is there already that nothing changes: %o',
    async (again) => {
      await register(WEC, { role: ROLE });
      expect(await register(WEC, again)).toContain('is registered already');
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
    'arn:aws:iam::111122223333:role/nobody',
    'arn:aws:iam::444455556666:role/team/forwarder',
  ])('says of a role that this account does not have how to ask another one: %s', async (role) => {
    await expect(register(WEC, { role })).rejects.toThrow(
      /has no arn:.*aws iam get-role --role-name \w+ --query Role\.RoleId.*--principal/,
    );
  });

  it('says how to ask for a user', async () => {
    const role = 'arn:aws:iam::444455556666:user/someone';
    await expect(register(WEC, { role })).rejects.toThrow('get-user --user-name someone');
  });

  it.each<[string, typeof WEC | undefined, Given]>([
    ['who may speak', WEC, {}],
    ['not both', WEC, { role: ROLE, principal: 'AROAX' }],
    ['no ARN of a role', WEC, { role: 'forwarder' }],
    ['no ARN of a role', WEC, { role: 'arn:aws:iam::111122223333:root' }],
    ['no ARN of a role', WEC, { role: 'arn:aws:iam::111122223333:role/' }],
    ['an ARN goes with --role', WEC, { principal: ROLE }],
    [
      'is one session, and a registration is of the whole role: give --principal AROAOTHER if',
      WEC,
      { principal: 'AROAOTHER:session' },
    ],
    [
      'stands for every federated user of account 111122223333',
      WEC,
      { principal: '111122223333:fwd' },
    ],
    ['stands for every federated user', WEC, { principal: '111122223333' }],
    ['which source', undefined, { principal: 'AROAX' }],
    ['leave the source out', WEC, { list: true }],
  ])('refuses wrong usage: %s', async (message, source, given) => {
    const attempt = register(source, given);
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('registers and takes back a principal for every WEC, in words that say so', async () => {
    expect(await register(EVERY_WEC, { role: ROLE })).toBe(
      `wec/*: AROAFORWARDER (${ROLE}) may speak for every WEC now\n`,
    );
    expect(await register(undefined, { list: true })).toBe(`wec/*  AROAFORWARDER (${ROLE})\n`);
    expect(await unregister(EVERY_WEC, { role: ROLE })).toBe(
      `wec/*: AROAFORWARDER (${ROLE}) may no longer speak for every WEC, after a minute at most; nobody else may\n`,
    );
    expect(await sendersOf(account.store, EVERY_WEC)).toEqual([]);
  });

  it('lists who is registered', async () => {
    expect(await register(undefined, { list: true })).toBe('Nobody is registered.\n');
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
  it('takes one registration back and says who may still speak', async () => {
    await register(WEC, { role: ROLE });
    await register(WEC, { principal: 'AROANEW' });
    expect(await unregister(WEC, { role: ROLE })).toContain('1 other still may');
    expect(await unregister(WEC, { principal: 'AROANEW' })).toContain('nobody else may');
    expect(await unregister(WEC, { principal: 'AROANEW' })).toContain('is not registered');
    expect(await sendersOf(account.store, WEC)).toEqual([]);
  });

  it('removes a WEC with its heartbeat, its silence and what it has said', async () => {
    await register(WEC, { role: ROLE });
    const version = { epoch: 1, sequence: 1 };
    await account.store.put([{ item: heartbeatItem(WEC, version, NOW_MS) }]);
    const entry = { name: 'cluster1', heartbeat: '1', silent: true, told: true };
    await putSilence(account.store, [entry], NOW_MS);
    expect(await unregister(WEC)).toBe(
      `wec/cluster1: AROAFORWARDER (${ROLE}) was registered; now nobody may speak for it, after a minute at most; what it has said is being removed\n`,
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
    await expect(attempt).rejects.toThrow(/no source that could be removed: give --role ARN/);
    expect(await sendersOf(account.store, EVERY_WEC)).toHaveLength(1);
  });

  it('says of a WEC that is removed who still may speak for it, as for every one', async () => {
    await register(EVERY_WEC, { principal: 'AROAITS' });
    await register(WEC, { role: ROLE });
    expect(await unregister(WEC)).toContain('AROAITS still may speak for it, as for every WEC');
    await register(WDS, { role: ROLE });
    expect(await unregister(WDS)).toContain('now nobody may speak for it');
  });

  it('removes a WDS with its heartbeat', async () => {
    await register(WDS, { principal: 'AROAOTHER' });
    const item = heartbeatItem(WDS, { epoch: 1, sequence: 1 }, NOW_MS);
    await account.store.put([{ item }]);
    expect(await unregister(WDS)).toContain('AROAOTHER was registered');
    expect(await account.store.get([item])).toEqual([undefined]);
    expect(await sendersOf(account.store, WDS)).toEqual([]);
  });

  it('removes a source that has spoken and that nobody is registered for any more', async () => {
    await account.store.put([{ item: heartbeatItem(WEC, { epoch: 1, sequence: 1 }, NOW_MS) }]);
    expect(await unregister(WEC)).toContain('nobody was registered');
    expect(await readHeartbeats(account.store)).toEqual([]);
  });

  it.each([
    [WEC, 'Remove wec/cluster1 for good, with its registrations and all that it has said?'],
    [WDS, 'Remove wds/wds1 for good, with all of its registrations?'],
    [
      { type: 'fleet', name: 'upstream1' } as const,
      'Remove fleet/upstream1 for good, with all of its registrations?',
    ],
  ])('asks before it removes a source: %o', async (source, question) => {
    await register(source, { principal: 'AROAOTHER' });
    expect(await unregisterAsked(source, {}, false)).toEqual({
      out: '',
      asked: [question],
      told: 'nothing was removed',
    });
    expect(await sendersOf(account.store, source)).toHaveLength(1);
    const { out, asked } = await unregisterAsked(source, {}, true);
    expect(asked).toEqual([question]);
    expect(out).toContain('AROAOTHER was registered');
    expect(await sendersOf(account.store, source)).toEqual([]);
  });

  it('needs --yes where nobody can be asked, but not for one registration', async () => {
    await register(WEC, { principal: 'AROAOTHER' });
    const attempt = unregisterAsked(WEC, {});
    await expect(attempt).rejects.toMatchObject({ name: 'UsageError' });
    await expect(attempt).rejects.toThrow('give --yes');
    expect(await sendersOf(account.store, WEC)).toHaveLength(1);
    expect((await unregisterAsked(WEC, { principal: 'AROAOTHER' })).asked).toEqual([]);
    expect(await sendersOf(account.store, WEC)).toEqual([]);
  });

  it('takes back also what is no longer let be registered', async () => {
    const principal = '111122223333';
    await registerSender(account.store, { source: WEC, principal });
    expect(await unregister(WEC, { principal })).toContain('nobody else may');
  });

  it.each([WEC, WDS])(
    'says of a source that it does not know that it does not: %o',
    async (source) => {
      const attempt = unregister(source);
      await expect(attempt).rejects.toMatchObject({ name: 'InputError' });
      await expect(attempt).rejects.toThrow(`${source.type}/${source.name} is not known: nobody`);
      expect(await account.queues.dirty.counts()).toMatchObject({ visible: 0 });
    },
  );

  it('refuses two ways to name one principal', async () => {
    await expect(unregister(WEC, { role: ROLE, principal: 'AROAX' })).rejects.toThrow('not both');
  });
});
