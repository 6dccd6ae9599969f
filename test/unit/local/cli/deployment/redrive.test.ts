import { beforeEach, describe, expect, it } from 'vitest';
import {
  END_OF_LISTING,
  eventsOf,
  FOREIGN_LETTER,
  HEARTBEAT,
  ofCluster,
  REASONS,
  writingOf,
} from '#local/cli/deployment/letter-messages.ts';
import {
  CAN_GO_BACK,
  deleteQuestion,
  MESSAGE_LINES,
  MORE_MESSAGES,
  NO_DEAD_LETTERS,
  NO_TERMINAL,
  NOTHING_DONE,
  notDeleted,
  redriveSummary,
  STAYS,
  sendQuestion,
  unknownMessages,
} from '#local/cli/redrive/messages.ts';
import type { RedriveOptions } from '#local/cli/redrive/redrive-plan.ts';
import { runRedrive } from '#local/cli/redrive/redrive-run.ts';
import type { Question } from '#local/cli/terminal/question.ts';
import { parseRedriven } from '#shared/messages/redriven.ts';
import { redriverUntil } from '#shared/state/senders.ts';
import { dirty, eventsBody, FORWARDER, hint, letterBody } from './dead-letter-messages.ts';
import {
  createFakeAccount,
  createFakeTerminal,
  type FakeAccount,
  type FakeTerminal,
  NOW_MS,
  OPERATOR,
  RECORDER,
} from './fake-account.ts';

const EVENTS = eventsOf(
  3,
  'wec/cluster1',
  `deployments.apps shop/web, ${END_OF_LISTING}, ${HEARTBEAT}`,
);
const RECORDER_SESSION = `${RECORDER}:starfold-prod-record-events`;

let account: FakeAccount;
let terminal: FakeTerminal;
let asked: string[];

/** Answers as given; without an answer there is nobody to ask. */
function question(answer: boolean | undefined): Question {
  return {
    isPossible: answer !== undefined,
    ask: async (text) => {
      asked.push(text);
      return answer === true;
    },
  };
}

beforeEach(() => {
  account = createFakeAccount();
  terminal = createFakeTerminal(account);
  asked = [];
});

/** Messages that have been in the dead-letter queues for an hour. */
function given(): { readonly forged: string; readonly junk: string; readonly failed: string } {
  account.nowMs = NOW_MS - 3_600_000;
  const { events, dirty: work, hints } = account.deadLetters;
  const failed = events.add({ body: eventsBody() }, FORWARDER);
  const forged = events.add({ body: letterBody({}) }, RECORDER_SESSION);
  const junk = events.add({ body: 'hello' }, 'AIDASTRANGER');
  work.add(dirty('1'), 'AROARECORDER:x');
  hints.add(hint('1'), 'AROAAGGREGATE:x');
  account.nowMs = NOW_MS;
  return { failed, forged, junk };
}

async function redrive(options: Partial<RedriveOptions>, answer?: boolean): Promise<string> {
  terminal.written = '';
  const whole = { stage: 'prod', output: 'table', ...options } as const;
  await runRedrive(whole, { account, terminal, question: question(answer) });
  return terminal.written;
}

async function visible(kind: 'queues' | 'deadLetters'): Promise<readonly number[]> {
  const { events, dirty: work, hints } = account[kind];
  const counts = await Promise.all([events, work, hints].map((queue) => queue.counts()));
  expect(counts.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0]);
  return counts.map((count) => count.visible);
}

describe('starfold redrive', () => {
  it('shows what is there and does nothing with --dry-run', async () => {
    const { junk } = given();
    const text = await redrive({ dryRun: true });
    expect(text).toContain(MESSAGE_LINES.what('failed', EVENTS));
    expect(text).toContain(MESSAGE_LINES.what('forged-sender', EVENTS));
    expect(text).toContain(MESSAGE_LINES.head('', junk, '60 min'));
    expect(text).toContain(MESSAGE_LINES.sender(FORWARDER));
    expect(text).toContain(MESSAGE_LINES.reason(REASONS.failed('record-events')));
    expect(text).toContain(MESSAGE_LINES.fate(CAN_GO_BACK, ''));
    expect(text).toContain(STAYS.unreadable);
    const web = ofCluster('deployments.apps shop/web', 'wds1');
    expect(text).toContain(MESSAGE_LINES.what('failed', writingOf(web)));
    expect(terminal.notices).toEqual([NOTHING_DONE]);
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
    expect(await visible('queues')).toEqual([0, 0, 0]);
    expect(await redriverUntil(account.store, OPERATOR)).toBe(0);
  });

  it('says that there is nothing', async () => {
    expect(await redrive({}, true)).toBe(NO_DEAD_LETTERS);
    expect(asked).toEqual([]);
  });

  it('leaves everything if the answer is no', async () => {
    given();
    await redrive({}, false);
    expect(asked).toEqual([sendQuestion(4)]);
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
    expect(await redriverUntil(account.store, OPERATOR)).toBe(0);
  });

  it('sends events back in the name of their first senders, work as it was, and leaves what nobody can read', async () => {
    given();
    const text = await redrive({}, true);
    expect(text).toContain(redriveSummary({ sent: 4, left: 1 }));
    expect(await visible('deadLetters')).toEqual([1, 0, 0]);
    expect(await visible('queues')).toEqual([2, 1, 1]);
    const sent = await account.queues.events.receive({ max: 10, waitSeconds: 0 });
    expect(sent.map(({ body }) => parseRedriven(body))).toEqual([
      { senderId: FORWARDER, body: eventsBody() },
      { senderId: FORWARDER, body: eventsBody() },
    ]);
    const [work] = await account.queues.dirty.receive({ max: 1, waitSeconds: 0 });
    expect(work).toMatchObject({ body: dirty('1').body, group: dirty('1').group });
  });

  it('registers the operator as a redriver for an hour before it sends events', async () => {
    given();
    await redrive({}, true);
    expect(await redriverUntil(account.store, OPERATOR)).toBe(NOW_MS + 3_600_000);
  });

  it.each<Partial<RedriveOptions>>([{ queue: 'dirty' }, { queue: 'hints' }])(
    'registers nobody for work, which needs no redriver: %o',
    async (options) => {
      given();
      await redrive(options, true);
      expect(asked).toEqual([sendQuestion(1)]);
      expect(await redriverUntil(account.store, OPERATOR)).toBe(0);
      expect(await visible('deadLetters')).toEqual(
        options.queue === 'dirty' ? [3, 0, 1] : [3, 1, 0],
      );
    },
  );

  it('sends only the messages that are named', async () => {
    const { forged, failed } = given();
    await redrive({ message: [forged, failed], yes: true });
    expect(await visible('deadLetters')).toEqual([1, 1, 1]);
  });

  it('does nothing when a message that is named is not there', async () => {
    const { forged } = given();
    await expect(redrive({ message: [forged, 'nothing'], yes: true })).rejects.toThrow(
      unknownMessages('nothing'),
    );
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
  });

  it('discards what cannot go back, after a question of its own', async () => {
    given();
    expect(await redrive({ discard: true }, true)).toContain(
      redriveSummary({ deleted: 1, left: 4 }),
    );
    expect(asked).toEqual([deleteQuestion(1)]);
    expect(await visible('deadLetters')).toEqual([2, 1, 1]);
    expect(await visible('queues')).toEqual([0, 0, 0]);
  });

  it.each<[Partial<RedriveOptions>, number]>([
    [{ discard: true, yes: true }, 4],
    [{ discard: true, yes: true, queue: 'events' }, 2],
    [{ discard: true, yes: true, output: 'json', queue: 'hints' }, 1],
  ])('says that the others would have to be named: %o', async (options, count) => {
    given();
    await redrive(options);
    expect(terminal.notices).toContain(notDeleted(count));
  });

  it('says nothing of the sort if messages are named, or nothing is left', async () => {
    const { forged } = given();
    await redrive({ discard: true, message: [forged], yes: true });
    await redrive({ queue: 'dirty', yes: true });
    await redrive({ queue: 'dirty', discard: true, yes: true });
    expect(terminal.notices).toEqual([NOTHING_DONE]);
  });

  it('discards no letter that is not named, whoever wrote it', async () => {
    const { forged, junk } = given();
    account.principals.clear();
    await redrive({ discard: true, queue: 'events' }, true);
    const left = await account.deadLetters.events.receive({ max: 10, waitSeconds: 0 });
    const ids = left.map(({ messageId }) => messageId);
    expect(ids).toContain(forged);
    expect(ids).not.toContain(junk);
  });

  it('discards nothing that a newer release has sent, unless it is named', async () => {
    const sent = dirty('1');
    const body = JSON.stringify({ ...JSON.parse(sent.body), messageVersion: 2 });
    const id = account.deadLetters.dirty.add({ ...sent, body }, 'AROARECORDER:x');
    expect(await redrive({ discard: true, yes: true })).toContain(STAYS.newer);
    expect(await visible('deadLetters')).toEqual([0, 1, 0]);
    expect(terminal.notices).toContain(notDeleted(1));
    await redrive({ discard: true, message: [id], yes: true });
    expect(await visible('deadLetters')).toEqual([0, 0, 0]);
  });

  it('discards any message that is named', async () => {
    const { forged } = given();
    await redrive({ discard: true, message: [forged], yes: true });
    expect(await visible('deadLetters')).toEqual([2, 1, 1]);
    expect(await redriverUntil(account.store, OPERATOR)).toBe(0);
  });

  it('requires --yes or --dry-run without a terminal', async () => {
    given();
    await expect(redrive({})).rejects.toMatchObject({
      name: 'UsageError',
      message: NO_TERMINAL,
    });
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
  });

  it('sends with --yes also what stands behind the first ones of a group', async () => {
    account.nowMs = NOW_MS - 1;
    for (let index = 0; index < 25; index += 1)
      account.deadLetters.dirty.add(dirty(String(index)), 'AROARECORDER:x');
    account.nowMs = NOW_MS;
    expect(await redrive({ yes: true })).toContain(`${redriveSummary({ sent: 25 })}\n`);
    expect(await visible('deadLetters')).toEqual([0, 0, 0]);
    const first = await account.queues.dirty.receive({ max: 10, waitSeconds: 0 });
    expect(first.map(({ body }) => body)).toEqual(Array.from({ length: 10 }, () => dirty('').body));
  });

  it('sends only the shown messages after a question, and reports the others', async () => {
    for (let index = 0; index < 12; index += 1)
      account.deadLetters.dirty.add(dirty(String(index)), 'AROARECORDER:x');
    await redrive({}, true);
    expect(asked).toEqual([sendQuestion(10)]);
    expect(await visible('deadLetters')).toEqual([0, 2, 0]);
    expect(terminal.notices).toContain(MORE_MESSAGES);
  });

  it('does not go through a long queue once it has done what was asked', async () => {
    account.nowMs = NOW_MS - 1;
    const { events } = account.deadLetters;
    const first = events.add({ body: eventsBody() }, FORWARDER);
    for (let index = 0; index < 100; index += 1) events.add({ body: 'hello' }, FORWARDER);
    account.nowMs = NOW_MS;
    let receives = 0;
    const { receive } = events;
    events.receive = (options) => {
      receives += 1;
      return receive(options);
    };
    await redrive({ dryRun: true });
    const looks = receives;
    await redrive({ message: [first], yes: true });
    expect(await visible('deadLetters')).toEqual([100, 0, 0]);
    expect(receives - looks).toBe(looks + 2);
  });

  it('does not take for its own what returns to the dead-letter queue in the meantime', async () => {
    given();
    const { dirty: queue } = account.queues;
    const send = queue.send;
    queue.send = async (messages) => {
      await send(messages);
      account.nowMs += 1000;
      for (const message of messages)
        account.deadLetters.dirty.add({ ...message, deduplicationId: 'again' }, 'AROA:x');
    };
    await redrive({ queue: 'dirty', yes: true });
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
    expect(await queue.counts()).toMatchObject({ visible: 1 });
  });

  it('loses nothing when sending fails: the message stays, visible', async () => {
    given();
    const failure = new Error('the network is gone');
    account.queues.hints.send = async () => {
      throw failure;
    };
    await expect(redrive({ queue: 'hints', yes: true })).rejects.toBe(failure);
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
  });

  it('has a message twice rather than not at all when deleting fails', async () => {
    given();
    account.deadLetters.hints.delete = async () => {
      throw new Error('the network is gone');
    };
    await expect(redrive({ queue: 'hints', yes: true })).rejects.toThrow('the network');
    expect(await visible('deadLetters')).toEqual([3, 1, 1]);
    expect(await visible('queues')).toEqual([0, 0, 1]);
  });

  it('reports messages that another process has received in the meantime', async () => {
    given();
    const thinking: Question = {
      isPossible: true,
      ask: async () => {
        await account.deadLetters.hints.receive({ max: 10, waitSeconds: 0 });
        return true;
      },
    };
    const options = { stage: 'prod', output: 'table', queue: 'hints' } as const;
    await runRedrive(options, { account, terminal, question: thinking });
    expect(terminal.written).toContain(redriveSummary({ sent: 0, gone: 1 }));
  });

  it('prints one JSON document with what became of each message', async () => {
    const { failed, junk } = given();
    const { messages } = JSON.parse(await redrive({ output: 'json', yes: true }));
    expect(messages).toHaveLength(5);
    expect(messages[0]).toEqual({
      queue: 'events',
      messageId: failed,
      sentAt: '2026-11-21T11:00:00.000Z',
      kind: 'failed',
      about: expect.stringContaining('wec/cluster1'),
      reasons: [REASONS.failed('record-events')],
      sender: FORWARDER,
      remedy: expect.any(String),
      canGoBack: true,
      outcome: 'sent',
    });
    const left = messages.filter(({ outcome }: { outcome: string }) => outcome === 'left');
    expect(left).toMatchObject([{ messageId: junk, canGoBack: false }]);
  });

  it('keeps letters if the role of record-events is unknown', async () => {
    const { forged } = given();
    account.principals.clear();
    const text = await redrive({ yes: true });
    expect(text).toContain(MESSAGE_LINES.what('foreign', FOREIGN_LETTER));
    const left = await account.deadLetters.events.receive({ max: 10, waitSeconds: 0 });
    expect(left.map(({ messageId }) => messageId)).toContain(forged);
  });

  it('does not let a message steer the terminal', async () => {
    const reasons = ['bad \u001b[2J name'];
    const body = letterBody({ code: 'unreadable', reasons });
    account.deadLetters.events.add({ body }, RECORDER_SESSION);
    expect(await redrive({ dryRun: true })).not.toContain('\u001b[2J');
  });
});
