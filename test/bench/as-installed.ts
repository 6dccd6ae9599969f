import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { forwarderBundle } from '#infra/bundle-forwarder.ts';
import { commandBundle } from '#infra/release/bundle-command.ts';

// Programs are measured as users have them: bundled. From the sources, Node would have to remove the types first, which takes half of
// the memory of a process.

const ROOT = join(import.meta.dirname, '..', '..');
const RECORDINGS = 'fixtures/recordings';

/** Bundles the event forwarder as its image has it. Returns the path of the program in the folder. */
export async function bundledForwarder(folder: string): Promise<string> {
  const outfile = join(folder, 'event-forwarder.mjs');
  await build({ ...forwarderBundle(ROOT), outfile });
  return outfile;
}

/** Bundles stack-worker.ts with the embedded stack as the package of the command has it. Returns the path of the program. */
export async function bundledStack(folder: string): Promise<string> {
  const outdir = join(folder, 'installed');
  await build(commandBundle(ROOT, outdir, { 'bench/stack-worker': 'test/bench/stack-worker.ts' }));
  // recorded-deployment.ts finds its recording from where it is itself.
  await cp(join(ROOT, 'test', RECORDINGS), join(outdir, RECORDINGS), { recursive: true });
  return join(outdir, 'bench', 'stack-worker.js');
}
