import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Prints the milliseconds that the import of the module named by the last argument takes. */
const SCRIPT = `
const started = performance.now();
await import(process.argv.at(-1));
process.stdout.write('\\n' + (performance.now() - started), () => process.exit());
`;

/**
 * Imports a module in a process of its own. Returns the milliseconds that this takes.
 *
 * @param url URL of the module, `file:///...`
 * @param env its whole environment
 */
export async function importOnce(
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const flags = ['--input-type=module', '-e', SCRIPT];
  const { stdout } = await run(process.execPath, [...flags, url], { env });
  return Number(stdout.split('\n').at(-1));
}
