import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { serverless } from './synthesised-template.ts';

it('rejects settings with the error, in one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-settings-'));
  try {
    const file = join(folder, 'settings.yml');
    await writeFile(file, stringify({ region: 'eu-central-1', wdses: ['ssm:/a'], alarmEmail: '' }));
    const failure = await serverless(['print'], file).catch((thrown: unknown) => thrown);
    const text = Object(failure).stderr + Object(failure).stdout;
    expect(text.match(/^.*settings.*$/gm)).toEqual([
      expect.stringContaining(`${file}: wdses: name at least one WDS`),
    ]);
    expect(text).not.toMatch(/^ +at /m);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
