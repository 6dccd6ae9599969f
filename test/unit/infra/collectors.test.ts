import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { collectorFiles, EXAMPLES, exampleOutput } from './collector-examples.ts';

const FILES = collectorFiles();

describe('the library of StatusCollectors', () => {
  it('has an example for each file, and a file for each example', () => {
    expect(FILES.map(({ name }) => name).sort()).toEqual(Object.keys(EXAMPLES).sort());
  });

  it.each(FILES)(
    'names $name as its file, and says for which kinds it is',
    ({ name, comment, object }) => {
      expect(at(object, 'metadata', 'name')).toBe(name);
      expect(object['kind']).toBe('StatusCollector');
      expect(comment).toMatch(/^# For /);
    },
  );

  it.each(FILES)('gives what the comment in $name shows', (collector) => {
    const moment = EXAMPLES[collector.name];
    const output = moment === undefined ? '' : exampleOutput(collector, moment);
    const shown = output.split('\n').map((line) => `#   ${line}`);
    expect(collector.comment.split('# Example:\n#\n')[1]).toBe(shown.join('\n'));
    expect(shown.length).toBeGreaterThan(1);
  });

  it.each(FILES)('gives no error if no WEC has returned anything: $name', (collector) => {
    const moment = EXAMPLES[collector.name];
    const output = moment === undefined ? '' : exampleOutput(collector, { ...moment, events: 0 });
    expect(output).not.toMatch(/error/i);
    expect(output).not.toBe('');
  });
});
