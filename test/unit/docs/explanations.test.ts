import { expect, it } from 'vitest';
import { readDocument } from './markdown.ts';
import { explanationsDocument } from './recorded-explanations.ts';

it('docs/explanations.md shows ten explanations of recordings, as they are now (npm run recorded-explanations)', () => {
  const { text } = readDocument('docs/explanations.md');
  expect(text).toBe(explanationsDocument());
  expect(text.match(/^```text$/gm)).toHaveLength(10);
});
