import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bundlePage } from '#console/bundle.ts';

const KIB = 1024;
const MAX_KIB = 100;

it('the page is small, and the same sources give the same bytes', async () => {
  const [files, again] = [await bundlePage(), await bundlePage()];
  const shown = files.filter(({ name }) => name !== 'rules.txt');
  const bytes = shown.reduce((sum, { content }) => sum + gzipSync(content).length, 0);
  expect(bytes).toBeLessThan(MAX_KIB * KIB);
  expect(files.map(({ name }) => name).toSorted()).toEqual(
    ['console.js', 'favicon.svg', 'index.html', 'rules.txt', 'style.css', 'theme.js'].toSorted(),
  );
  for (const [index, { content }] of files.entries())
    expect(Buffer.compare(content, again[index]?.content ?? new Uint8Array())).toBe(0);
});

it('the page refers to no other server, and has no script or style in its markup', async () => {
  const files = new Map(
    (await bundlePage()).map(({ name, content }) => [name, Buffer.from(content).toString()]),
  );
  const all = ['console.js', 'style.css', 'theme.js', 'index.html'].map(
    (name) => files.get(name) ?? '',
  );
  // Names of namespaces are no addresses: nothing is read from there.
  const addresses = all.join('\n').match(/https?:\/\/(?!www\.w3\.org\/)[^\s"'`)]+/g);
  expect(addresses).toBeNull();
  expect(files.get('index.html')).not.toMatch(/<style|style=|<script>|\son\w+=/);
  expect(files.get('console.js')).not.toMatch(/\beval\(|new Function\b/);
});
