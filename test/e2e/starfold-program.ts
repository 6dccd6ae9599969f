import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { metricsServed, servesApi, takesEvents } from '#local/start/messages.ts';
import type { Pod } from './starfold-pod.ts';

const MAIN = join(import.meta.dirname, '../../local/cli/starfold.js');
const PATIENCE = { timeout: 30_000, interval: 50 };

/** The process of the chart's pod. */
export interface StarfoldProgram {
  /** Everything that it has said. */
  output(): string;
  /** The address of one of its servers, by the name of the container's port; waits until it listens. */
  url(port: string): Promise<string>;
  /** Status and text of what it serves by TLS, whose certificate is checked. */
  ask(
    port: string,
    path: string,
    token?: string,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** Its exit code, once it has ended by itself. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM, as the kubelet does; returns the exit code. */
  stop(): Promise<number | null>;
}

const ADDRESS = String.raw`(https?:\S+)`;

/** How the process says where it listens. */
const SAID: Readonly<Record<string, RegExp>> = {
  intake: new RegExp(takesEvents(ADDRESS)),
  api: new RegExp(servesApi(ADDRESS, '')),
  metrics: new RegExp(metricsServed(ADDRESS)),
};

/**
 * Starts the program with the arguments and the environment of a pod, and nothing else.
 *
 * @param main the file of the program
 */
export function startStarfold({ args, env, certFile }: Pod, main = MAIN): StarfoldProgram {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_ENV: 'production', ...env },
  });
  const ended = once(child, 'close').then(([code]): number | null => code);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      said += more;
    });
  const url = (port: string): Promise<string> =>
    vi.waitFor(() => {
      const [, address] = SAID[port]?.exec(said) ?? [];
      if (address === undefined) throw new Error(`it does not serve ${port}: ${said}`);
      return address.replace('//0.0.0.0:', '//127.0.0.1:');
    }, PATIENCE);
  return {
    output: () => said,
    ended,
    url,
    ask: async (port, path, token) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const outgoing = request(new URL(path, await url(port)), {
        ca: await readFile(certFile),
        headers,
      });
      const answered = once(outgoing, 'response');
      outgoing.end();
      const [response] = await answered;
      return { status: response.statusCode, text: await text(response) };
    },
    stop: async () => {
      if (child.exitCode === null) child.kill('SIGTERM');
      return ended;
    },
  };
}
