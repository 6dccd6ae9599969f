import { describe, expect, it } from 'vitest';
import { parseConfig } from '#functions/event-forwarder/program/config.ts';
import { createMetrics } from '#functions/event-forwarder/program/metrics.ts';
import { codeBlocks, readDocument } from '#test/unit/docs/markdown.ts';
import { STARTED } from './states.ts';

const { text, prose } = readDocument('docs/forwarder.md');
const [example] = codeBlocks(text).filter(({ language }) => language === 'yaml');
const WDS_AND_QUEUE = (example?.code ?? '').replace(/leaderElection:[\s\S]*/, '');

/** `a.b` for each field in a value, sections left out. */
function fields(value: object, prefix = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? fields(inner, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  );
}

describe('the document of the forwarder', () => {
  const reading = parseConfig('docs/forwarder.md', example?.code ?? '');
  const config = reading.ok ? reading.config : {};

  it('shows a configuration that is good, and in it the defaults', () => {
    expect(parseConfig('docs/forwarder.md', WDS_AND_QUEUE)).toEqual(reading);
    expect(reading).toMatchObject({ ok: true });
  });

  it('explains each field', () => {
    const explained = prose.match(/^\| `[^|]+/gm)?.join('\n') ?? '';
    const names = fields(config);
    expect(names.length).toBeGreaterThan(15);
    const missing = names.filter((name) => {
      const [section = '', last = ''] = [name, name.split('.').at(-1)];
      return !(explained.includes(`\`${section}\``) || explained.includes(`\`.${last}\``));
    });
    expect(missing).toEqual([]);
  });

  it('names the metrics that there are, and no others', async () => {
    const metrics = createMetrics({ status: () => STARTED, clock: () => 0 });
    const given = [...(await metrics.text()).text.matchAll(/^# TYPE (starfold_\w+) (\w+)$/gm)];
    const named = [...prose.matchAll(/^\| `(starfold_\w+)` \| (\w+)/gm)];
    const pairs = (found: readonly RegExpExecArray[]) =>
      found.map(([, name, type]) => `${name} ${type}`).sort();
    expect(pairs(named)).toEqual(pairs(given));
  });
});
