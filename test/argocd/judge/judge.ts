import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ARGO_CD_ORDER, type ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import { isObject, type JsonObject, parseJson } from '#shared/core/json.ts';
import { assetFolder } from '#test/e2e/assets.ts';

/** What Argo CD says of an object: null where it has no rule. */
export type Said = (ArgoCdVerdict & { readonly error?: string }) | null;

/** Argo CD's own code, in a process of its own. */
export interface Judge {
  /** What Argo CD says of each object, in their order; may be called again before an answer is there. */
  ask(objects: readonly JsonObject[]): Promise<readonly Said[]>;
  /** Ends the process. */
  stop(): Promise<void>;
}

interface Question {
  readonly count: number;
  /** Answers so far. */
  readonly lines: string[];
  readonly resolve: (lines: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

function saidOf(line: string): Said {
  const value = parseJson(line);
  if (value === null) return null;
  const status = ARGO_CD_ORDER.find((one) => isObject(value) && value['status'] === one);
  if (!isObject(value) || status === undefined) throw new Error(`not a verdict: ${line}`);
  const [message, error] = [textOf(value, 'message'), textOf(value, 'error')];
  return {
    status,
    ...(message === undefined ? {} : { message }),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * The folder with argocd-judge.
 *
 * @throws Error if it is not there and cannot be built
 */
export function judgeFolder(): Promise<string> {
  const without = 'Argo CD: set ARGOCD_ASSETS to a folder with it';
  return assetFolder({ script: 'build-argocd.sh', without });
}

/**
 * Starts argocd-judge.
 *
 * @param folder with the program, from {@link judgeFolder}
 * @throws Error, from an answer as well, where the program fails or says something that is no verdict.
 */
export async function startJudge(folder: string): Promise<Judge> {
  const child = spawn(join(folder, 'argocd-judge'), { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  const questions: Question[] = [];
  let ended: Error | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [first] = questions;
    if (first === undefined) return;
    first.lines.push(line);
    if (first.lines.length < first.count) return;
    questions.shift();
    first.resolve(first.lines);
  });
  // Whoever waits is told when the process has ended.
  child.stdin.on('error', () => undefined);
  child.once('close', (code, signal) => {
    ended = new Error(`argocd-judge has ended: ${code ?? signal}`);
    for (const { reject } of questions.splice(0)) reject(ended);
  });
  const linesOf = (texts: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) reject(ended);
      else if (texts.length === 0) resolve([]);
      else {
        questions.push({ count: texts.length, lines: [], resolve, reject });
        child.stdin.write(texts.map((text) => `${text}\n`).join(''));
      }
    });
  return {
    ask: async (objects) => {
      const texts = objects.map((object) => JSON.stringify(object));
      // Many random objects are the same.
      const unique = [...new Set(texts)];
      const lines = await linesOf(unique);
      const said = new Map(unique.map((text, index) => [text, saidOf(lines[index] ?? '')]));
      return texts.map((text) => said.get(text) ?? null);
    },
    stop: async () => {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}
