import { expect, it } from 'vitest';
import { nearestName } from '#shared/core/nearest-name.ts';

const NAMES = ['replicas', 'selector', 'template', 'paused', 'image', 'images', 'ip', 'ab', 'ba'];

it.each([
  ['replica', 'replicas'],
  ['replicass', 'replicas'],
  ['relpicas', 'replicas'],
  ['REPLICAS', 'replicas'],
  ['slector', 'selector'],
  ['tempalte', 'template'],
  ['imag', 'image'],
  ['imagesx', 'images'],
  ['iq', 'ip'],
  ['aa', 'ab'],
  ['zebra', undefined],
  ['rplcs', undefined],
  ['', undefined],
  ['replicas'.repeat(9), undefined],
])('%s is near to %s', (name, near) => {
  expect(nearestName(name, NAMES)).toBe(near);
});

it('takes the nearest, then the first in alphabetical order, whatever the order of the names', () => {
  expect(nearestName('imagesxy', NAMES)).toBe('images');
  expect(nearestName('imagef', ['images', 'imaged'])).toBe('imaged');
  expect(nearestName('imagef', ['imaged', 'images'])).toBe('imaged');
});
