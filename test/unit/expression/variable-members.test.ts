import { describe, expect, it } from 'vitest';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { compile } from '#shared/core/expression/compile.ts';
import { noMember } from '#shared/core/expression/messages.ts';

function messages(text: string): readonly string[] {
  const compilation = compile(text);
  return compilation.ok ? [] : compilation.errors.map(({ message }) => message);
}

describe('a member of inventory or propagation', () => {
  it.each([
    ['inventory.nam', noMember('inventory', '"nam"', 'did you mean inventory.name?')],
    ['inventory["nme"]', 'inventory has no member "nme"; did you mean inventory.name?'],
    [
      'inventory.region',
      'inventory has no member "region"; use inventory.name, inventory.labels, inventory.annotations',
    ],
    [
      'has(propagation.lastcontact) ? string(propagation.lastContact) : "-"',
      'propagation has no member "lastcontact"; did you mean propagation.lastContact?',
    ],
    ['has(inventory.lables)', 'inventory has no member "lables"; did you mean inventory.labels?'],
    [
      'has(inventory.lable)',
      'inventory has no member "lable"; use inventory.name, inventory.labels, inventory.annotations',
    ],
    [
      '"last" in propagation',
      'propagation has no member "last"; use propagation.lastReturnedUpdateTimestamp, propagation.stale, propagation.silent, propagation.lastContact, propagation.generation',
    ],
    ['inventory.lables.region', 'inventory has no member "lables"; did you mean inventory.labels?'],
    ['propagation.slient', 'propagation has no member "slient"; did you mean propagation.silent?'],
    ['propagation.stal', 'propagation has no member "stal"; did you mean propagation.stale?'],
    [
      'obj.items.exists(o, o == propagation.lastReturnedUpdateTime)',
      'propagation has no member "lastReturnedUpdateTime"; did you mean propagation.lastReturnedUpdateTimestamp?',
    ],
    [
      `inventory.${'x'.repeat(101)}`,
      `inventory has no member "${'x'.repeat(100)}…"; use inventory.name, inventory.labels, inventory.annotations`,
    ],
  ])('that no WEC has is an error: %s', (text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  it.each([
    'inventory.name + string(propagation.stale)',
    'inventory["name"]',
    'has(propagation.lastContact) ? string(propagation.lastContact) : "-"',
    'has(inventory.labels.region) ? inventory.labels.region : ""',
    '"region" in inventory.annotations ? inventory.annotations["region"] : ""',
    '[{"region": 1}].exists(inventory, has(inventory.region))',
    'inventory[obj.kind]',
    'inventory[1 == 1 ? "region" : "name"]',
    '{"a": 1}["b"]',
    'returned.status[0]',
    '[{"region": 1}].exists(inventory, inventory.region == 1)',
    'returned.anything == obj.anything',
    '[[1]].exists(list, list[0] == 1)',
  ])('may be asked for: %s', (text) => {
    expect(messages(text)).toEqual([]);
  });

  it('is reported twenty times at most', () => {
    expect(messages(`[${Array(30).fill('inventory.a').join(', ')}]`)).toHaveLength(20);
  });

  it('is reported in the StatusCollector, with one remedy', () => {
    const spec = { select: [{ name: 'wec', def: 'inventory.nam' }] };
    expect(compileStatusCollector(spec)).toEqual({
      ok: false,
      errors: [
        `spec.select[0].def, line 1, column 11: ${noMember('inventory', '"nam"', 'did you mean inventory.name?')}`,
      ],
    });
  });
});

describe('what an expression may read about a WEC besides its row', () => {
  function facts(text: string): readonly string[] {
    const compilation = compile(text);
    return compilation.ok ? [...compilation.program.facts].sort() : ['invalid'];
  }

  it.each<[string, readonly string[]]>([
    ['inventory.name', []],
    ['inventory["name"] + string(has(inventory.name)) + string("name" in inventory)', []],
    ['inventory.labels.region', ['inventory']],
    ['inventory.name + inventory["labels"]["region"]', ['inventory']],
    ['has(inventory.annotations)', ['inventory']],
    ['inventory[obj.kind]', ['inventory']],
    ['inventory.size() + obj.list.map(i, inventory.name).size()', ['inventory']],
    ['[obj].exists(inventory, inventory.labels.a == 1)', []],
    ['propagation.stale || propagation.generation < 3', []],
    ['propagation.lastReturnedUpdateTimestamp', []],
    ['propagation.silent', ['silence']],
    ['propagation.lastContact', ['silence']],
    ['[inventory, propagation]', ['inventory', 'silence']],
    ['obj.metadata.name', []],
  ])('%s', (text, expected) => {
    expect(facts(text)).toEqual(expected);
  });
});
