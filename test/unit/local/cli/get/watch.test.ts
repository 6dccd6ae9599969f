import { beforeEach, expect, it } from 'vitest';
import { RefusedError } from '#local/cli/door/ask-json.ts';
import { type Door, type DoorRequest, DoorUnavailableError } from '#local/cli/door/door.ts';
import { errorFromServer } from '#local/cli/door/messages.ts';
import { answersAgain, tryingAgain, WATCH_ONE } from '#local/cli/get/messages.ts';
import { type GetOptions, runGet } from '#local/cli/get/run.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { parseJson } from '#shared/core/json.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { status, WEB } from '#test/unit/api/ask.ts';
import { doorOver, get, KeptTerminal, WAITING } from './got.ts';

const NAME = 'https://api';
const AWAY = `${NAME} is away`;

let source: FakeStatusSource;

beforeEach(() => {
  source = new FakeStatusSource();
  source.put(status(WEB, 'east'));
  source.put(status(WEB, 'west'));
});

/** How much of an object is ready in a WEC. */
function ready(replicas: number): Partial<WecStatus> {
  return { ready: `${replicas}/3`, status: { readyReplicas: replicas } };
}

/** A server that can be stopped and started. */
class Server implements Door {
  readonly name = NAME;
  readonly requests: DoorRequest[] = [];
  refusal: { readonly code: number; readonly text: string } | undefined;
  /** How many requests are refused. */
  refusals = Number.POSITIVE_INFINITY;
  #door: Door | undefined = doorOver(source);
  #gone = new AbortController();

  /** Cuts off what is open. */
  async stop(): Promise<void> {
    this.#gone.abort();
    await this.#door?.close();
    this.#door = undefined;
  }

  start(): void {
    this.#gone = new AbortController();
    this.#door = doorOver(source);
  }

  async ask(request: DoorRequest) {
    if (this.#door === undefined) throw new DoorUnavailableError(AWAY);
    this.requests.push(request);
    if (this.refusal !== undefined && this.refusals > 0) {
      this.refusals -= 1;
      const { code, text } = this.refusal;
      return {
        code,
        headers: {},
        body: (async function* () {
          yield text;
        })(),
      };
    }
    return this.#door.ask(request);
  }

  async close(): Promise<void> {
    await this.stop();
  }
}

/** A running `get -w`. */
class Watching {
  readonly kept = new KeptTerminal();
  readonly #ended = new AbortController();
  readonly done: Promise<void>;

  constructor(server: Door, options: Partial<GetOptions> = {}, args = ['wecst']) {
    const all = { namespace: 'shop', watch: true, chunkSize: 500, ...options };
    const { signal } = this.#ended;
    const world = { door: server, terminal: this.kept.terminal, waiting: WAITING, signal };
    this.done = runGet(args, all, world);
  }

  lines(): readonly string[] {
    return this.kept.out.split('\n').slice(0, -1);
  }

  /** Resolves when there are so many lines. */
  async count(lines: number): Promise<void> {
    await this.kept.until(() => this.lines().length >= lines);
  }

  async end(): Promise<readonly string[]> {
    this.#ended.abort();
    await this.done;
    return this.lines().map((line) => line.replaceAll(/ +/g, ' '));
  }
}

it('prints the list and each change until it is ended', async () => {
  const watching = new Watching(new Server());
  await watching.count(3);
  source.put(status(WEB, 'east', ready(0)));
  await watching.count(4);
  source.bind(WEB, [status(WEB, 'east', ready(0))]);
  await watching.count(5);
  const lines = await watching.end();
  expect(lines.slice(3)).toEqual([
    'deployments.apps/web east 0/3 Healthy Reported 5d',
    'deployments.apps/web west 3/3 Healthy Reported 5d (deleted)',
  ]);
});

it('shows the type of each change if that is asked for', async () => {
  const watching = new Watching(new Server(), { outputWatchEvents: true });
  await watching.count(3);
  source.put(status(WEB, 'east', ready(0)));
  await watching.count(4);
  source.bind(WEB, [status(WEB, 'east', ready(0))]);
  await watching.count(5);
  const events = (await watching.end()).map((line) => line.split(' ').slice(0, 3).join(' '));
  expect(events).toEqual([
    'EVENT OBJECT WEC',
    'ADDED deployments.apps/web east',
    'ADDED deployments.apps/web west',
    'MODIFIED deployments.apps/web east',
    'DELETED deployments.apps/web west',
  ]);
});

it('prints objects for programs one after the other', async () => {
  const watching = new Watching(new Server(), { output: 'json', outputWatchEvents: true });
  await watching.kept.until(({ out }) => out.split('"type"').length === 3);
  source.put(status(WEB, 'east', ready(0)));
  await watching.kept.until(({ out }) => out.split('"type"').length === 4);
  const lines = await watching.end();
  const documents = lines
    .join('\n')
    .split(/\n(?=\{)/)
    .map((text) => parseJson(text));
  expect(documents).toMatchObject([
    { type: 'ADDED', object: { kind: 'WECStatus', wec: 'east' } },
    { type: 'ADDED', object: { wec: 'west' } },
    { type: 'MODIFIED', object: { wec: 'east', status: { readyReplicas: 0 } } },
  ]);
});

it('goes on where it was when the server is restarted, and repeats nothing', async () => {
  const server = new Server();
  const watching = new Watching(server);
  await watching.count(3);
  source.put(status(WEB, 'west', ready(1)));
  await watching.count(4);
  const seen = await source.revision();
  await server.stop();
  await watching.kept.until(({ err }) => err !== '');
  source.put(status(WEB, 'east', ready(1)));
  source.put(status(WEB, 'north'));
  // As it was: a server tells it as a change, and it is none.
  source.put(status(WEB, 'west', ready(1)));
  server.start();
  await watching.count(6);
  source.put(status(WEB, 'west', ready(2)));
  await watching.count(7);
  expect(server.requests.at(-1)?.query?.get('resourceVersion')).toBe(String(seen));
  expect((await watching.end()).slice(4)).toEqual([
    'deployments.apps/web east 1/3 Healthy Reported 5d',
    'deployments.apps/web north 3/3 Healthy Reported 5d',
    'deployments.apps/web west 2/3 Healthy Reported 5d',
  ]);
  expect(watching.kept.err).toBe(
    `starfold: ${tryingAgain(AWAY)}\nstarfold: ${answersAgain(NAME)}\n`,
  );
});

it('lists again when the changes are no longer known, and prints the differences', async () => {
  const server = new Server();
  const watching = new Watching(server);
  await watching.count(3);
  await server.stop();
  await watching.kept.until(({ err }) => err !== '');
  source.bind(WEB, [status(WEB, 'west'), status(WEB, 'north')]);
  source.put(status(WEB, 'west', ready(2)));
  source.forget();
  server.start();
  await watching.count(6);
  source.put(status(WEB, 'north', ready(0)));
  await watching.count(7);
  expect((await watching.end()).slice(3)).toEqual([
    'deployments.apps/web north 3/3 Healthy Reported 5d',
    'deployments.apps/web west 2/3 Healthy Reported 5d',
    'deployments.apps/web east 3/3 Healthy Reported 5d (deleted)',
    'deployments.apps/web north 0/3 Healthy Reported 5d',
  ]);
});

it('lists again when the server has lost its state', async () => {
  const server = new Server();
  const watching = new Watching(server);
  await watching.count(3);
  await server.stop();
  await watching.kept.until(({ err }) => err !== '');
  source = new FakeStatusSource();
  source.put(status(WEB, 'west', ready(2)));
  server.start();
  await watching.count(5);
  expect((await watching.end()).slice(3)).toEqual([
    'deployments.apps/web west 2/3 Healthy Reported 5d',
    'deployments.apps/web east 3/3 Healthy Reported 5d (deleted)',
  ]);
});

it('does not take a heartbeat for a change', async () => {
  source.put(status(WEB, 'east', { lastContact: '2026-11-25T09:00:00Z' }));
  const watching = new Watching(new Server());
  await watching.count(3);
  source.put(status(WEB, 'east', { lastContact: '2026-11-25T09:01:00Z' }));
  source.put(status(WEB, 'west', ready(2)));
  await watching.count(4);
  expect((await watching.end())[3]).toContain(' west 2/3 ');
});

it('follows one object by its name', async () => {
  const watching = new Watching(new Server(), {}, ['wecst', 'deployments.apps:web:west']);
  await watching.count(2);
  source.put(status(WEB, 'east', ready(1)));
  source.put(status(WEB, 'west', ready(2)));
  await watching.count(3);
  expect(await watching.end()).toHaveLength(3);
});

it('goes on if a server that has just started refuses for a moment', async () => {
  const server = new Server();
  const watching = new Watching(server);
  await watching.count(3);
  source.put(status(WEB, 'west', ready(2)));
  await watching.count(4);
  server.refusal = {
    code: 403,
    text: '{"kind":"Status","reason":"Forbidden","message":"not yet"}',
  };
  server.refusals = 7;
  await server.stop();
  server.start();
  await watching.kept.until(({ err }) => err.includes(answersAgain(NAME)));
  expect(watching.kept.err).toContain(tryingAgain(errorFromServer('Forbidden', 'not yet')));
  source.put(status(WEB, 'west', ready(3)));
  await watching.count(5);
  expect((await watching.end()).at(-1)).toContain('west 3/3');
});

it('ends with an error that no retry helps', async () => {
  const server = new Server();
  const watching = new Watching(server);
  await watching.count(3);
  server.refusal = {
    code: 403,
    text: '{"kind":"Status","reason":"Forbidden","message":"no more"}',
  };
  await server.stop();
  server.start();
  await expect(watching.done).rejects.toThrow(RefusedError);
});

it('ends with an error if the server does not answer at the beginning', async () => {
  const server = new Server();
  await server.stop();
  await expect(new Watching(server).done).rejects.toThrow(DoorUnavailableError);
});

it('follows only one list', async () => {
  const several = get(doorOver(source), ['wecs/a', 'wecs/b'], { watch: true });
  await expect(several).rejects.toThrow(new UsageError(WATCH_ONE));
});
