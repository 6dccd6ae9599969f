import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, getuid } from 'node:process';
import { type Browser, chromium } from '#tools/browser.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path of Chromium: what CHROMIUM names, or the first one in PATH.
 *
 * @throws Error if there is none: the suite fails, it never skips
 */
function chromiumPath(): string {
  const { CHROMIUM: given, PATH = '' } = env;
  if (given !== undefined) return given;
  const places = PATH.split(delimiter).flatMap((folder) =>
    PROGRAMS.map((program) => join(folder, program)),
  );
  const found = places.find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    'the browser tests need Chromium: apt-get install chromium, or set CHROMIUM to the program',
  );
}

/** Starts Chromium without a window. As root, Chromium starts only without its sandbox. */
export function startBrowser(): Promise<Browser> {
  const args = getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumPath(), args });
}
