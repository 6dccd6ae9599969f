import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { PeerMissing } from './peer.ts';

const run = promisify(execFile);
/** Go's compiler may have to fetch and compile all that the peer needs. */
const TIMEOUT_MS = 40 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** With this code, `env` ends where it finds no program of the name. */
const NO_SUCH_COMMAND = 127;
const OUTPUT_SHOWN = 4_000;

/** Sources of a peer that a user has. */
export interface Sources {
  /** The option of the command line, for messages. */
  readonly option: string;
  /** Absent: the option was not given. */
  readonly folder: string | undefined;
  /** A file that its sources have. */
  readonly has: string;
}

/**
 * The folder with the sources.
 *
 * @throws PeerMissing if none was given; RangeError if it does not have the sources
 */
export function sourcesIn({ option, folder, has }: Sources): string {
  if (folder === undefined)
    throw new PeerMissing(`no folder with its sources was given: ${option} FOLDER`);
  if (!existsSync(join(folder, has)))
    throw new RangeError(
      `${option}: there is no ${has} in ${folder}: give the folder of a checkout`,
    );
  return resolve(folder);
}

/** The commit of a checkout, for the name of a section; `''` for a folder without one. */
export async function commitOf(folder: string): Promise<string> {
  const answer = await run('git', ['-C', folder, 'rev-parse', '--short', 'HEAD']).catch(
    () => undefined,
  );
  return answer === undefined ? '' : ` ${answer.stdout.trim()}`;
}

/** A test in Go that times a peer. */
interface GoTest {
  /** In this folder. */
  readonly file: string;
  /** Folder with the sources of the peer. Nothing is written there. */
  readonly sources: string;
  /** The package that the file belongs to: a folder below the sources. */
  readonly package: string;
}

function goError({ file, sources }: GoTest, error: unknown): Error {
  const { code, stdout, stderr } = error as Partial<Record<'code' | 'stdout' | 'stderr', unknown>>;
  if (code === NO_SUCH_COMMAND) return new PeerMissing("there is no 'go' on PATH: install Go");
  const output = `${stdout ?? ''}${stderr ?? ''}`.slice(-OUTPUT_SHOWN);
  return new Error(`go test with ${file} in ${sources} has failed:\n${output}`, { cause: error });
}

/**
 * Compiles a test as if it stood beside the sources, and runs it. Go itself lays the file there, for the compiler only.
 *
 * @param input what the test reads
 * @returns what the test has written
 * @throws PeerMissing without Go; Error if the test does not compile or fails
 */
export async function runGoTest(test: GoTest, input: JsonValue): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-peer-'));
  const file = (name: string): string => join(folder, `${name}.json`);
  const laid = join(test.sources, test.package, 'starfold_peer_test.go');
  const overlay = { Replace: { [laid]: join(import.meta.dirname, test.file) } };
  const variables = [
    'GOWORK=off',
    `STARFOLD_PEER_INPUT=${file('input')}`,
    `STARFOLD_PEER_OUTPUT=${file('output')}`,
  ];
  const options = ['-count=1', '-vet=off', '-timeout=40m', '-run=^TestStarfoldPeer$'];
  try {
    await writeFile(file('input'), stringifyJson(input));
    await writeFile(file('overlay'), JSON.stringify(overlay));
    const go = ['go', 'test', `-overlay=${file('overlay')}`, ...options, `./${test.package}`];
    await run('env', [...variables, ...go], {
      cwd: test.sources,
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    }).catch((error: unknown) => {
      throw goError(test, error);
    });
    return JSON.parse(await readFile(file('output'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
