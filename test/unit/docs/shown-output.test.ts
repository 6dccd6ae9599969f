import { expect, it } from 'vitest';
import { asShown, comparable } from './shown-output.ts';

const OUTPUT = 'NAME: web\nSTATUS: deployed\nNOTES:\nready after 2m10s\n';

it.each([
  ['the whole output', OUTPUT],
  ['any lines for a line of dots', '...\nSTATUS: deployed\n...'],
  ['any text for dots in a line', 'NAME: ...\nSTATUS: deployed\n...'],
  ['another time', '...\nready after 5s'],
])('is what a document shows: %s', (_case, shown) => {
  expect(asShown(OUTPUT, shown)).toBe(comparable(shown));
});

it.each([
  ['another line', '...\nSTATUS: failed\n...'],
  ['less without dots', 'NAME: web'],
  ['nothing', ''],
])('is not what a document shows: %s', (_case, shown) => {
  expect(asShown(OUTPUT, shown)).toBe(comparable(OUTPUT));
});

it('compares no names that differ each time', () => {
  const pod = (hash: string, uuid: string) => `web-${hash} web-${hash}_${uuid}`;
  const [first, second] = [
    pod('5cdf6b67d-7drnb', 'd7b2504a-90c2-4ba6-91fc-2962a9cb84a5'),
    pod('6f7d9c8b54-tq7wz', '3b0e504a-90c2-4ba6-91fc-2962a9cb84a5'),
  ];
  expect(asShown(first, second)).toBe(comparable(second));
});
