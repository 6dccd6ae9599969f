import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { openQueues } from '#local/stack/queues.ts';
import { takesEvents } from '#local/start/messages.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';
import { ForwarderProgram } from './forwarder-program.ts';
import { LABELS } from './objects.ts';
import { Process } from './process.ts';

const ROOT = join(import.meta.dirname, '../..');
const STARFOLD = join(ROOT, 'local/cli/starfold.ts');
const START_MS = 60_000;
const TAKES_EVENTS = new RegExp(takesEvents(String.raw`(http:\S+)`));

/** Where the system's files are, and which WECs there are. */
export interface SystemOptions {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly wecs: readonly string[];
}

/** What waits somewhere, and what could not be handled. */
export interface Backlog {
  /** In queues and forwarders. */
  readonly waiting: number;
  readonly deadLetters: number;
}

/** The embedded stack (`starfold start`) and a forwarder for each WEC, each a process of its own. */
export class System {
  readonly stack: Process;
  readonly forwarders: readonly ForwarderProgram[];
  readonly #stateFile: string;

  private constructor(stack: Process, forwarders: readonly ForwarderProgram[], stateFile: string) {
    this.stack = stack;
    this.forwarders = forwarders;
    this.#stateFile = stateFile;
  }

  /** @throws Error when one of them does not start; it ends all processes then. */
  static async start({ folder, kubeconfig, wecs }: SystemOptions): Promise<System> {
    const sources = wecs.map((wec) => `wec/${wec}`);
    const tokens = writeTokens(join(folder, 'tokens.yaml'), sources);
    const stateFile = join(folder, 'state/state.sqlite');
    const where = ['--state', stateFile, '--kubeconfig', kubeconfig, '--wds', 'wds'];
    const listen = ['--listen', '0', '--tokens', tokens];
    const stack = new Process('stack', [STARFOLD, 'start', ...where, ...listen]);
    const forwarders: ForwarderProgram[] = [];
    const system = new System(stack, forwarders, stateFile);
    try {
      const [, url = ''] = await stack.printed(TAKES_EVENTS, START_MS);
      for (const wec of wecs) {
        const config = join(folder, `${wec}.yaml`);
        const token = join(folder, `${wec}.token`);
        await writeFile(token, tokenOf(`wec/${wec}`));
        await writeFile(config, stringify(configOf(wec, { kubeconfig, url, token })));
        forwarders.push(new ForwarderProgram(wec, config));
      }
      await Promise.all(forwarders.map((forwarder) => forwarder.started()));
      return system;
    } catch (error) {
      await system.end();
      throw error;
    }
  }

  /** The processes as they are now. */
  processes(): readonly Process[] {
    return [this.stack, ...this.forwarders.map(({ process }) => process)];
  }

  async backlog(): Promise<Backlog> {
    const database = openSqliteDatabase(this.#stateFile);
    const counts = { waiting: 0, deadLetters: 0 };
    try {
      for (const [name, queue] of Object.entries(openQueues(database))) {
        const { visible, inFlight, delayed } = await queue.counts();
        const kind = name.endsWith('-dlq') ? 'deadLetters' : 'waiting';
        counts[kind] += visible + inFlight + delayed;
      }
    } finally {
      database.close();
    }
    const unsent = await Promise.all(this.forwarders.map((one) => one.metric('unsent_events')));
    return { ...counts, waiting: unsent.reduce((a, b) => a + b, counts.waiting) };
  }

  /** The size of the stack's state file and of its log, in bytes. */
  async onDisk(): Promise<{ readonly state: number; readonly log: number }> {
    const [state, log] = await Promise.all(
      [this.#stateFile, join(dirname(this.#stateFile), 'starfold.log')].map((file) => stat(file)),
    );
    return { state: state?.size ?? 0, log: log?.size ?? 0 };
  }

  /** Ends all processes in order. */
  async end(): Promise<void> {
    await Promise.all(this.forwarders.map(({ process }) => process.end('SIGTERM')));
    await this.stack.end('SIGTERM');
  }
}

function configOf(
  wec: string,
  { kubeconfig, url, token }: Readonly<Record<'kubeconfig' | 'url' | 'token', string>>,
): object {
  const [[label, value] = ['', '']] = Object.entries(LABELS);
  return {
    source: { type: 'wec', name: wec, wds: 'wds', select: { labelSelector: `${label}=${value}` } },
    queue: { http: { url, tokenFile: token } },
    leaderElection: { namespace: 'default' },
    kubernetes: { kubeconfig, context: wec },
    heartbeatSeconds: 30,
    server: { port: 0, host: '127.0.0.1' },
  };
}
