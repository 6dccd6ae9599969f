import { expect, it } from 'vitest';
import {
  computing,
  INPUT_IS_TERMINAL,
  notWritten,
  printing,
  reading,
} from '#local/cli/terminal/messages.ts';

it('says in these words what a long step does, and what a terminal prevents', () => {
  expect([
    reading('1.2', 'wds.json'),
    computing(1_600),
    printing(100, 1_600),
    INPUT_IS_TERMINAL,
    notWritten('ENOSPC: no space left on device, write'),
  ]).toEqual([
    'reading 1.2 MB: wds.json',
    'computing: 1,600 objects',
    'printing: 100 of 1,600 objects',
    'standard input is a terminal: pipe objects into this command',
    'the results cannot be written: ENOSPC: no space left on device, write',
  ]);
});
