import { beforeEach, describe, expect, it } from 'vitest';
import { notRegistered as rejectedEvents } from '#functions/record-events/messages.ts';
import type { Account, FunctionState, Stack } from '#local/cli/deployment/account.ts';
import {
  END_OF_LISTING,
  eventsOf,
  HEARTBEAT,
  LETTER_REMEDIES,
  orDiscard,
  REASONS,
  registerCommand,
} from '#local/cli/deployment/letter-messages.ts';
import { AWS_FAULTS, existingStages, noOutput, noStack } from '#local/cli/deployment/messages.ts';
import {
  CLUSTER_REMEDIES,
  GRANTS,
  NO_WDS,
  noChecks,
  notAsked,
  notPermitted,
  permitted,
  rejects,
  unreachable,
} from '#local/cli/doctor/cluster-messages.ts';
import type { Finding } from '#local/cli/doctor/finding.ts';
import {
  type Advice,
  allReporting,
  inWds,
  moreBindings,
  NO_WEC_REPORTED,
  NOBODY_REGISTERED,
  NONE_SET_ASIDE,
  neverReported,
  notListed,
  notRegistered,
  notReporting as notReportingAdvice,
  quotaReached,
  silenceNotRecorded,
  silentSource,
  sourcesReport,
} from '#local/cli/doctor/messages.ts';
import {
  agesNotKnown,
  letterReport,
  moreLetters,
  noDeadLetters,
  queueReport,
  slowQueue,
} from '#local/cli/doctor/queue-messages.ts';
import { type DoctorOptions, runDoctor } from '#local/cli/doctor/run.ts';
import {
  credentialsInUse,
  functionMissing,
  functionReport,
  noAws,
  problemCount,
  stackState,
} from '#local/cli/doctor/stack-messages.ts';
import type { BindingResult } from '#shared/core/binding/binding-status.ts';
import { neverReportedWec, notReporting, silentSince } from '#shared/core/binding/messages.ts';
import { type WecsReporting, wecsReporting } from '#shared/core/binding/wecs-reporting.ts';
import type { EventSource } from '#shared/core/event.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { BINDING_RESULT } from '#shared/state/contents.ts';
import { putHead, putResult, readHead } from '#shared/state/head.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { reportedKey, SORT } from '#shared/state/keys.ts';
import { beginRecount, endRecount, takeSlots } from '#shared/state/quota.ts';
import { EVERY_WEC, registerSender } from '#shared/state/senders.ts';
import { putSilence } from '#shared/state/silence.ts';
import { dirty, eventsBody, FORWARDER, letterBody } from './dead-letter-messages.ts';
import {
  createFakeAccount,
  createFakeTerminal,
  type FakeAccount,
  NOW_MS,
  RECORDER,
} from './fake-account.ts';

const MINUTE_MS = 60_000;
const WEC: EventSource = { type: 'wec', name: 'cluster1' };
const WDS: EventSource = { type: 'wds', name: 'wds1' };

/** A function that is as it should be. */
const READY = {
  state: 'Active',
  lastUpdate: 'Successful',
  changed: '2026-11-20T12:00:00.000+0000',
  reason: '',
};

let account: FakeAccount;

async function speak(source: EventSource, minutesAgo: number): Promise<void> {
  const heardMs = NOW_MS - minutesAgo * MINUTE_MS;
  await account.store.put([
    { item: heartbeatItem(source, { epoch: 1, sequence: 1 }, heardMs) },
    { item: { ...snapshotKey(source), version: '1' } },
  ]);
}

/** Where the end of a source's listing is recorded. */
function snapshotKey(source: EventSource): ItemKey {
  return { pk: sourcePartition(source), sk: SORT.snapshot };
}

beforeEach(async () => {
  account = createFakeAccount();
  for (const source of [WEC, WDS]) {
    await registerSender(account.store, { source, principal: 'AROAFORWARDER' });
    await speak(source, 0);
  }
});

interface Diagnosis {
  readonly findings: readonly Finding[];
  /** What ended the command: the number of problems. */
  readonly error: string | undefined;
  readonly text: string;
}

async function run(options: Partial<DoctorOptions>): Promise<Omit<Diagnosis, 'findings'>> {
  const terminal = createFakeTerminal(account);
  const whole = { stage: 'prod', output: 'table', ...options } as const;
  try {
    await runDoctor(whole, { account, terminal });
    return { text: terminal.written, error: undefined };
  } catch (error) {
    expect(error).toMatchObject({ name: 'InputError' });
    return { text: terminal.written, error: error instanceof Error ? error.message : '' };
  }
}

async function diagnose(options: Partial<DoctorOptions> = {}): Promise<Diagnosis> {
  const ran = await run({ output: 'json', ...options });
  return { ...ran, findings: JSON.parse(ran.text).findings };
}

/** The findings of one check that are not ok. */
async function amiss(check: Finding['check']): Promise<readonly Finding[]> {
  const { findings } = await diagnose();
  return findings.filter((finding) => finding.check === check && finding.level !== 'ok');
}

function denied(action: string): Error {
  const error = new Error(`User: arn:aws:iam::1:user/o is not authorized to perform: ${action}`);
  error.name = 'AccessDeniedException';
  return error;
}

/** The stack as it is, but for its status. */
function stack(status: string): Stack {
  const found = account.stacks.get('starfold-prod');
  return { reason: '', changedMs: 0, outputs: new Map(), ...found, status };
}

describe('starfold doctor', () => {
  it('finds nothing wrong with what is well, and says what it has looked at', async () => {
    const { text, error } = await run({});
    expect(error).toBeUndefined();
    expect(text).toBe(
      [
        `ok       credentials   ${credentialsInUse('arn:aws:iam::111122223333:user/operator', 'eu-west-1')}`,
        `ok       stack         ${stackState('starfold-prod', { status: 'UPDATE_COMPLETE', reason: '' }, '2026-11-20T12:00:00.000Z')}`,
        ...[
          ...['record-events', 'aggregate-workload', 'write-results', 'sweep-stale'],
          'send-notifications',
        ].map((name) => `ok       functions     ${functionReport(`starfold-prod-${name}`, READY)}`),
        ...['events', 'dirty', 'hints', 'notifications'].map(
          (name) => `ok       queues        ${queueReport(name, { waiting: 0, inFlight: 0 })}`,
        ),
        ...['events', 'dirty', 'hints', 'notifications'].map(
          (name) => `ok       dead letters  ${noDeadLetters(name)}`,
        ),
        `ok       sources       ${sourcesReport(2)}`,
        `ok       Bindings      ${allReporting(0)}`,
        `ok       subjects      ${NONE_SET_ASIDE}`,
        `ok       WDSes         ${permitted('wds1')}`,
        '',
      ].join('\n'),
    );
  });

  it('looks for the function and the queues of notifications only if the stack has them', async () => {
    const stack = account.stacks.get('starfold-prod');
    const outputs = new Map(stack?.outputs);
    for (const key of ['NotificationsQueueUrl', 'NotificationsDeadLetterQueueUrl'])
      outputs.delete(key);
    if (stack !== undefined) account.stacks.set('starfold-prod', { ...stack, outputs });
    account.functions.delete('starfold-prod-send-notifications');
    const { text, error } = await run({});
    expect(error).toBeUndefined();
    expect(text).not.toMatch(/notifications/);
  });

  it('ends with the number of problems, and puts the remedy below each', async () => {
    account.functions.delete('starfold-prod-sweep-stale');
    const { text, error } = await run({});
    const { message, remedy } = functionMissing('starfold-prod-sweep-stale');
    expect(error).toBe(problemCount(1, 0));
    expect(text).toContain(`problem  functions     ${message}\n${' '.repeat(23)}-> ${remedy}\n`);
  });
});

describe('credentials and stack', () => {
  it.each<[keyof Account, string, Advice | Pick<Advice, 'message'>]>([
    ['region', 'Error', noAws(AWS_FAULTS.noRegion)],
    ['identity', 'ExpiredToken', { message: AWS_FAULTS.expired }],
  ])(
    'reports a problem with the credentials, or that there may be no AWS, and runs no further check: %s',
    async (method, name, advice) => {
      const failure = new Error('Region is missing');
      failure.name = name;
      account.failures.set(method, failure);
      const { findings, error } = await diagnose();
      expect(findings).toEqual([{ check: 'credentials', level: 'problem', ...advice }]);
      expect(error).toBe(problemCount(1, 0));
    },
  );

  it.each([
    [
      ['starfold-test', 'starfold-dev', 'other'],
      ['dev', 'prod', 'test'],
    ],
    [[], ['prod']],
  ])('names the existing stages if there is no such stack', async (others, stages) => {
    for (const name of others) account.stacks.set(name, stack('CREATE_COMPLETE'));
    const { findings } = await diagnose({ stage: 'nothing' });
    expect(findings.at(-1)).toEqual({
      ...{ check: 'stack', level: 'problem' },
      message: noStack('starfold-nothing', 'eu-west-1', existingStages(stages)),
    });
  });

  it('reports that there is no stack, or names no others if it may not list them', async () => {
    account.stacks.clear();
    const none = await diagnose();
    const told = (others: string): string => noStack('starfold-prod', 'eu-west-1', others);
    expect(none.findings.at(-1)?.message).toBe(told(existingStages([])));
    account.failures.set('stackNames', denied('cloudformation:DescribeStacks'));
    const unseen = await diagnose();
    expect(unseen.findings.at(-1)?.message).toBe(told(''));
  });

  it.each([
    ['CREATE_COMPLETE', 'ok'],
    ['UPDATE_IN_PROGRESS', 'warning'],
    ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', 'warning'],
    ['UPDATE_ROLLBACK_COMPLETE', 'warning'],
    ['IMPORT_ROLLBACK_COMPLETE', 'warning'],
    ['UPDATE_ROLLBACK_FAILED', 'problem'],
    ['ROLLBACK_COMPLETE', 'problem'],
    ['DELETE_FAILED', 'problem'],
  ])('judges a stack that is %s: %s', async (status, level) => {
    account.stacks.set('starfold-prod', { ...stack(status), reason: 'as it is' });
    const { findings } = await diagnose();
    const found = findings.find(({ check }) => check === 'stack');
    const since = '2026-11-20T12:00:00.000Z';
    const message = stackState('starfold-prod', { status, reason: 'as it is' }, since);
    expect(found).toMatchObject({ level, message });
  });

  it('says which output is missing, and still looks at the functions', async () => {
    account.stacks.set('starfold-prod', { ...stack('UPDATE_COMPLETE'), outputs: new Map() });
    const { findings } = await diagnose();
    const problems = findings.filter(({ level }) => level === 'problem');
    expect(problems.map(({ message }) => message)).toEqual([
      noOutput('starfold-prod', 'UPDATE_COMPLETE', 'TableName'),
    ]);
    expect(findings.filter(({ check }) => check === 'functions')).toHaveLength(4);
  });
});

describe('functions', () => {
  it('are five if the stack has an HTTP API', async () => {
    const before = stack('UPDATE_COMPLETE');
    const outputs = new Map([...before.outputs, ['ApiUrl', 'https://a1.execute-api.example']]);
    account.stacks.set('starfold-prod', { ...before, outputs });
    account.functions.delete('starfold-prod-serve-api');
    expect(await amiss('functions')).toMatchObject([
      { level: 'problem', ...functionMissing('starfold-prod-serve-api') },
    ]);
  });

  it.each<[Partial<FunctionState>, string]>([
    [{ state: 'Failed', reason: 'no such role' }, 'problem'],
    [{ lastUpdate: 'Failed' }, 'problem'],
    [{ lastUpdate: 'InProgress' }, 'warning'],
    [{ state: 'Pending' }, 'warning'],
  ])('judges %o: %s', async (change, level) => {
    const name = 'starfold-prod-write-results';
    const before = account.functions.get(name);
    if (before !== undefined) account.functions.set(name, { ...before, ...change });
    const [found, ...others] = await amiss('functions');
    expect(others).toEqual([]);
    expect(found).toMatchObject({ level, message: functionReport(name, { ...READY, ...change }) });
  });
});

describe('queues', () => {
  it('reports how many messages wait, and since when', async () => {
    await account.queues.events.send([{ body: 'a' }, { body: 'b' }]);
    await account.queues.events.receive({ max: 1, waitSeconds: 0 });
    account.ages.set('starfold-prod-events', 42);
    const { findings } = await diagnose();
    expect(findings.find(({ check }) => check === 'queues')).toMatchObject({
      level: 'ok',
      message: queueReport('events', { waiting: 1, inFlight: 1 }, '42 s'),
    });
  });

  it('takes for a problem what the alarm takes for one', async () => {
    account.ages.set('starfold-prod-hints.fifo', 300);
    expect(await amiss('queues')).toEqual([]);
    account.ages.set('starfold-prod-hints.fifo', 301);
    expect(await amiss('queues')).toMatchObject([
      { level: 'problem', remedy: slowQueue('hints', 'write-results') },
    ]);
  });

  it('reports how many messages wait also if CloudWatch does not say since when', async () => {
    await account.queues.events.send([{ body: 'a' }]);
    account.failures.set('oldestMessageSeconds', denied('cloudwatch:GetMetricData'));
    const { findings, error } = await diagnose();
    expect(error).toBeUndefined();
    expect(findings.filter(({ check }) => check === 'queues')).toMatchObject([
      { level: 'ok', message: queueReport('events', { waiting: 1, inFlight: 0 }) },
      { level: 'ok' },
      { level: 'ok' },
      { level: 'ok' },
      {
        level: 'warning',
        message: agesNotKnown(
          AWS_FAULTS.denied('cloudwatch:GetMetricData', 'arn:aws:iam::1:user/o'),
        ),
      },
    ]);
  });

  it.each<keyof Account>(['queueCounts', 'oldestMessageSeconds'])(
    'does not hide a fault of the program: %s',
    async (method) => {
      const fault = new TypeError('undefined is not a function');
      account.failures.set(method, fault);
      const terminal = createFakeTerminal(account);
      const doctor = runDoctor({ stage: 'prod', output: 'table' }, { account, terminal });
      await expect(doctor).rejects.toBe(fault);
    },
  );

  it('says what it may not see, and sees the rest', async () => {
    account.failures.set('queueCounts', denied('sqs:GetQueueAttributes'));
    const { findings } = await diagnose();
    const problems = findings.filter(({ level }) => level === 'problem');
    expect(problems.map(({ check }) => check)).toEqual(['queues', 'dead letters']);
    expect(problems[0]?.message).toBe(
      AWS_FAULTS.denied('sqs:GetQueueAttributes', 'arn:aws:iam::1:user/o'),
    );
    expect(findings.at(-1)).toMatchObject({ check: 'WDSes', level: 'ok' });
  });
});

describe('what comes from messages', () => {
  it('does not steer the terminal, also as JSON, which keeps it', async () => {
    const reasons = ['bad \u202eeman\u2066\u009b2J'];
    account.deadLetters.events.add({ body: letterBody({ reasons }) }, `${RECORDER}:session`);
    const { text } = await run({});
    expect(text).toContain('bad eman 2J');
    const json = await run({ output: 'json' });
    expect(json.text).not.toMatch(/[\p{Cf}\u0080-\u009f]/u);
    const { findings } = JSON.parse(json.text);
    expect(JSON.stringify(findings)).toContain(JSON.stringify(reasons[0]).slice(1, -1));
  });
});

describe('dead letters', () => {
  it('explains each, and leaves it visible', async () => {
    account.nowMs = NOW_MS - 3 * 3_600_000;
    const { events } = account.deadLetters;
    const first = events.add({ body: eventsBody() }, FORWARDER);
    const second = events.add({ body: letterBody({}) }, `${RECORDER}:session`);
    account.nowMs = NOW_MS;
    const contents = `deployments.apps shop/web, ${END_OF_LISTING}, ${HEARTBEAT}`;
    const about = eventsOf(3, 'wec/cluster1', contents);
    const letter = { queue: 'events', about, sender: FORWARDER };
    const [failed, forged] = await amiss('dead letters');
    expect(failed).toMatchObject({
      level: 'warning',
      message: letterReport(
        {
          ...{ ...letter, messageId: first, kind: 'failed' },
          reasons: [REASONS.failed('record-events')],
        },
        '3 h',
      ),
      remedy: LETTER_REMEDIES.failed,
    });
    expect(forged).toMatchObject({
      level: 'problem',
      message: letterReport(
        {
          ...{ ...letter, messageId: second, kind: 'forged-sender' },
          reasons: [rejectedEvents('AROAFORWARDER', 'wec/cluster1')],
        },
        '3 h',
      ),
      remedy: orDiscard(
        LETTER_REMEDIES.forgedSender(registerCommand('wec/cluster1', 'AROAFORWARDER')),
        second,
      ),
    });
    expect(await events.counts()).toMatchObject({ visible: 2, inFlight: 0 });
  });

  it('looks at ten, and gives the number of the others', async () => {
    for (let index = 0; index < 13; index += 1)
      account.deadLetters.dirty.add(dirty(String(index)), 'AROA:x');
    const found = await amiss('dead letters');
    expect(found).toHaveLength(11);
    expect(found.at(-1)).toMatchObject(moreLetters('dirty', 3));
  });
});

describe('sources', () => {
  it.each([
    [5, []],
    [6, ['problem']],
    [9, ['problem', 'problem']],
  ])('of a WEC that last spoke %i minutes ago: %o', async (minutes, levels) => {
    await speak(WEC, minutes);
    const found = await amiss('sources');
    expect(found.map(({ level }) => level)).toEqual(levels);
    if (minutes > 5) expect(found[0]?.message).toBe(silentSource(WEC, `${minutes} min`).message);
    if (minutes > 8) expect(found[1]).toMatchObject(silenceNotRecorded(WEC));
  });

  it.each([WEC, WDS])(
    'reports one that has not reported everything in this state: %o',
    async (source) => {
      await account.store.delete([{ key: snapshotKey(source) }]);
      expect(await amiss('sources')).toEqual([
        {
          check: 'sources',
          level: 'warning',
          ...notListed(source),
        },
      ]);
    },
  );

  it('reports one that has reached its quota, until it has fewer objects', async () => {
    const { store } = account;
    await takeSlots(store, { source: WEC, wanted: 4, limit: 3 });
    expect(await amiss('sources')).toEqual([
      {
        check: 'sources',
        level: 'problem',
        ...quotaReached(WEC, 3, 3),
      },
    ]);
    await endRecount(store, WEC, { ...(await beginRecount(store, WEC)), entries: 2 });
    expect(await amiss('sources')).toEqual([]);
  });

  it('reports only the silence of a silent source', async () => {
    await speak(WEC, 6);
    await account.store.delete([{ key: snapshotKey(WEC) }]);
    expect(await amiss('sources')).toMatchObject([{ level: 'problem' }]);
  });

  it('does not report a silence that the sweep has recorded as overlooked', async () => {
    await speak(WEC, 60);
    const entry = { name: 'cluster1', heartbeat: '1', silent: true, notified: true };
    await putSilence(account.store, [entry], NOW_MS);
    expect(await amiss('sources')).toHaveLength(1);
  });

  it.each<EventSource>([
    { type: 'wds', name: 'wds2' },
    { type: 'fleet', name: 'upstream1' },
  ])('report that $type/$name is silent, which no sweep has to record', async (source) => {
    await registerSender(account.store, { source, principal: 'AROAX' });
    expect(await amiss('sources')).toMatchObject([{ level: 'warning', ...neverReported(source) }]);
    await speak(source, 5);
    expect(await amiss('sources')).toEqual([]);
    await speak(source, 60);
    expect(await amiss('sources')).toMatchObject([
      {
        level: 'problem',
        ...silentSource(source, '60 min'),
      },
    ]);
  });

  it('reports a source that is registered but has never reported', async () => {
    await registerSender(account.store, {
      source: { type: 'wds', name: 'wds2' },
      principal: 'AROAX',
    });
    expect(await amiss('sources')).toMatchObject([
      { level: 'warning', ...neverReported({ type: 'wds', name: 'wds2' }) },
    ]);
  });

  it('reports a source that has reported but is not registered', async () => {
    await speak({ type: 'wec', name: 'stranger' }, 1);
    await speak({ type: 'fleet', name: 'stranger' }, 1);
    expect(await amiss('sources')).toMatchObject([
      { level: 'warning', ...notRegistered({ type: 'wec', name: 'stranger' }, '60 s') },
      { level: 'warning', ...notRegistered({ type: 'fleet', name: 'stranger' }, '60 s') },
    ]);
  });

  it('does not count a sender for every WEC as a WEC, and counts its WECs as registered', async () => {
    await registerSender(account.store, { source: EVERY_WEC, principal: 'AROAITS' });
    const text = async (): Promise<string> =>
      (await diagnose()).findings.find(({ check }) => check === 'sources')?.message ?? '';
    expect(await amiss('sources')).toEqual([]);
    expect(await text()).toBe(sourcesReport(2, 0));
    await speak({ type: 'wec', name: 'its-1' }, 1);
    expect(await amiss('sources')).toEqual([]);
    expect(await text()).toBe(sourcesReport(2, 1));
    await speak({ type: 'wec', name: 'its-1' }, 6);
    expect(await amiss('sources')).toMatchObject([
      { level: 'problem', ...silentSource({ type: 'wec', name: 'its-1' }, '6 min') },
    ]);
  });

  it('counts no sources if only a sender for every WEC is registered', async () => {
    account = createFakeAccount();
    await registerSender(account.store, { source: EVERY_WEC, principal: 'AROAITS' });
    await speak({ type: 'wec', name: 'its-1' }, 1);
    expect((await diagnose()).findings).toContainEqual(
      expect.objectContaining({
        check: 'sources',
        message: sourcesReport(0, 1),
      }),
    );
  });

  it('reports that a sender for every WEC has reported none', async () => {
    account = createFakeAccount();
    await registerSender(account.store, { source: EVERY_WEC, principal: 'AROAITS' });
    expect(await amiss('sources')).toMatchObject([{ level: 'warning', ...NO_WEC_REPORTED }]);
  });

  it('reports that no source is registered', async () => {
    account = createFakeAccount();
    expect(await amiss('sources')).toMatchObject([{ level: 'warning', ...NOBODY_REGISTERED }]);
  });
});

describe('Bindings', () => {
  /** A Binding that the WDS has reported, and what its aggregation has found about its WECs. */
  async function bind(name: string, reporting?: WecsReporting): Promise<void> {
    const { store } = account;
    const subject: Subject = { type: 'binding', wds: WDS.name, name };
    const pk = subjectPartition(subject);
    await store.put([{ item: { ...reportedKey(WDS, { pk, sk: SORT.spec }), version: '1' } }]);
    const found: BindingResult = { missingCollectors: [], errors: [], policyErrors: [] };
    const result = reporting === undefined ? found : { ...found, reporting };
    const text = stringifyJson(BINDING_RESULT.encode(result));
    const resultChunks = await putResult(store, pk, { revision: 1, hash: 'h', text });
    const head = await readHead(store, pk);
    await putHead(store, pk, { ...head, revision: 1, hash: 'h', resultRevision: 1, resultChunks });
  }

  const reporting = (destinations: readonly string[]): WecsReporting =>
    wecsReporting({
      destinations,
      silent: new Map([['edge2', { since: '2026-11-21T11:00:00Z' }]]),
      hasReported: (wec) => wec !== 'edge3',
    });

  it('names the WECs that do not report, and since when', async () => {
    await bind('shop', reporting(['edge1', 'edge2', 'edge3']));
    await bind('tools', reporting(['edge1']));
    expect(await amiss('Bindings')).toEqual([
      {
        check: 'Bindings',
        level: 'warning',
        ...notReportingAdvice(
          `${inWds('Binding shop', 'wds1')}: ${notReporting(2, 3, `${silentSince('edge2', '2026-11-21T11:00:00Z')}, ${neverReportedWec('edge3')}`)}`,
        ),
      },
    ]);
  });

  it('says how many there are, if all WECs report, or if it is not known yet', async () => {
    await bind('shop', reporting(['edge1']));
    await bind('tools');
    const { findings } = await diagnose();
    expect(findings).toContainEqual({
      check: 'Bindings',
      level: 'ok',
      message: allReporting(2),
    });
  });

  it('passes over one that has no result yet', async () => {
    const pk = subjectPartition({ type: 'binding', wds: WDS.name, name: 'new' });
    const key = reportedKey(WDS, { pk, sk: SORT.spec });
    await account.store.put([{ item: { ...key, version: '1' } }]);
    expect(await amiss('Bindings')).toEqual([]);
  });

  it('names twenty, and gives the number of the others', async () => {
    for (let index = 0; index < 23; index += 1) await bind(`b${index}`, reporting(['edge3']));
    const found = await amiss('Bindings');
    expect(found).toHaveLength(21);
    expect(found.at(-1)?.message).toBe(moreBindings(3));
  });
});

describe('WDSes', () => {
  it('asks the writer', async () => {
    await diagnose();
    expect(account.invocations).toEqual(['starfold-prod-write-results {"task":"check-wdses"}']);
  });

  it.each([
    [
      '{"wds":"a","reachable":false,"error":"WDS a: no route","cause":"silence","missing":[]}',
      'problem',
      unreachable('a', 'WDS a: no route'),
      CLUSTER_REMEDIES.silence,
    ],
    [
      '{"wds":"a","reachable":false,"missing":[]}',
      'problem',
      unreachable('a'),
      CLUSTER_REMEDIES.silence,
    ],
    [
      '{"wds":"a","reachable":false,"error":"no parameter: make it","cause":"kubeconfig","missing":[]}',
      'problem',
      notAsked('a', 'no parameter: make it'),
      CLUSTER_REMEDIES.kubeconfig,
    ],
    [
      '{"wds":"a","reachable":true,"error":"401","cause":"kubeconfig","missing":[]}',
      'problem',
      rejects('a', '401'),
      CLUSTER_REMEDIES.kubeconfig,
    ],
    [
      '{"wds":"a","reachable":true,"error":"403","cause":"denied","missing":[]}',
      'problem',
      rejects('a', '403'),
      GRANTS.wds,
    ],
    [
      '{"wds":"a","reachable":true,"missing":["get pods","patch x/status (if the kind has a status subresource)"]}',
      'problem',
      notPermitted('a', 'get pods, patch x/status (if the kind has a status subresource)'),
      GRANTS.wds,
    ],
    [
      '{"wds":"a","reachable":true,"missing":["patch x/status (if the kind has a status subresource)"]}',
      'warning',
      notPermitted('a', 'patch x/status (if the kind has a status subresource)'),
      GRANTS.wds,
    ],
  ])('explains %s with its remedy', async (check, ...[level, message, remedy]) => {
    account.answer = { payload: `[${check}]`, failed: false };
    expect(await amiss('WDSes')).toMatchObject([{ level, message, remedy }]);
  });

  it.each([
    { payload: '{"errorMessage":"Task timed out"}', failed: true },
    { payload: '{"batchItemFailures":[]}', failed: false },
    { payload: '', failed: false },
  ])('reports that the writer has not answered: %o', async (answer) => {
    account.answer = answer;
    expect(await amiss('WDSes')).toMatchObject([
      {
        level: 'problem',
        ...noChecks('starfold-prod-write-results', answer.payload),
      },
    ]);
  });

  it.each([
    [
      '{"upstream":"a","mode":"compare","reachable":true,"missing":["get bundles.fleet.cattle.io"]}',
      notPermitted('a', 'get bundles.fleet.cattle.io'),
      GRANTS.fleet('compare'),
    ],
    [
      '{"upstream":"a","mode":"write","reachable":true,"error":"403","cause":"denied","missing":[]}',
      rejects('a', '403'),
      GRANTS.fleet('write'),
    ],
    [
      '{"upstream":"a","mode":"write","reachable":false,"error":"no route","cause":"silence","missing":[]}',
      unreachable('a', 'no route'),
      CLUSTER_REMEDIES.silence,
    ],
  ])('explains %s of a management cluster of Fleet', async (check, message, remedy) => {
    account.answer = { payload: `[${check}]`, failed: false };
    expect(await amiss('WDSes')).toEqual([]);
    expect(await amiss('Fleet')).toMatchObject([{ level: 'problem', message, remedy }]);
  });

  it('may be missing if there is a management cluster of Fleet', async () => {
    const answer = '{"upstream":"a","mode":"compare","reachable":true,"missing":[]}';
    account.answer = { payload: `[${answer}]`, failed: false };
    const { findings } = await diagnose();
    expect(findings.filter(({ check }) => check === 'WDSes' || check === 'Fleet')).toEqual([
      { check: 'Fleet', level: 'ok', message: permitted('a') },
    ]);
  });

  it('reports that no WDS is configured', async () => {
    account.answer = { payload: '[]', failed: false };
    expect(await amiss('WDSes')).toMatchObject([NO_WDS]);
  });

  it('does not hide a fault of the program', async () => {
    const fault = new TypeError('undefined is not a function');
    account.failures.set('invoke', fault);
    const terminal = createFakeTerminal(account);
    const doctor = runDoctor({ stage: 'prod', output: 'table' }, { account, terminal });
    await expect(doctor).rejects.toBe(fault);
  });
});
