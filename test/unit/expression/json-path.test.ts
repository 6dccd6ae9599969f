import { describe, expect, it } from 'vitest';
import { readJsonPath } from '#shared/core/expression/json-path.ts';

describe('a path', () => {
  it.each([
    ['$.inventory', 'inventory', 'inventory'],
    ['$.inventory.name', 'inventory.name', 'name'],
    ['$.status', 'returned.status', 'status'],
    ["$['status']", 'returned.status', 'status'],
    ['$.status.availableReplicas', 'returned.status.availableReplicas', 'availableReplicas'],
    ['$.spec', 'obj.spec', 'spec'],
    ['$.spec.template.spec', 'obj.spec.template.spec', 'spec'],
    ['$.propagation.stale', 'propagation.stale', 'stale'],
    ['$.status.conditions[0]', 'returned.status.conditions[0]', 'conditions'],
    ['$.status.conditions[10].type', 'returned.status.conditions[10].type', 'type'],
    ["$.status['a.b/c-d'].e", 'returned.status["a.b/c-d"].e', 'e'],
    ['$.status["it\'s"]', 'returned.status["it\'s"]', "it's"],
    [String.raw`$.status['it\'s']`, 'returned.status["it\'s"]', "it's"],
    [String.raw`$.status['"\\']`, String.raw`returned.status["\"\\"]`, '"\\'],
    ['$.status.with-hyphen', 'returned.status["with-hyphen"]', 'with-hyphen'],
    ['$.status.größe', 'returned.status["größe"]', 'größe'],
    ['$.status.in', 'returned.status["in"]', 'in'],
    ['$.status.namespace', 'returned.status["namespace"]', 'namespace'],
    ['$.status.true', 'returned.status["true"]', 'true'],
    ["$.status['']", 'returned.status[""]', ''],
    ["$.status['valid']", 'returned.status.valid', 'valid'],
  ])('%s is %s in CEL, and names its column %s', (path, text, name) => {
    expect(readJsonPath(path)).toEqual({ ok: true, text, name });
  });

  it.each([
    ['status.phase', '"status.phase" is no path; begin with $.inventory, $.status, $.spec or $.'],
    ['', '"" is no path; begin with '],
    ['{$.status}', '"{$.status}" is no path; begin with '],
    ['$', '"$" leads nowhere; begin with $.inventory, $.status, $.spec or $.propagation, or write'],
    ['$.metadata.name', '"$.metadata.name" leads nowhere; begin with $.inventory, '],
    ['$.constructor', '"$.constructor" leads nowhere; begin with '],
    ['$[0]', '"$[0]" leads nowhere; begin with '],
    [
      '$.status.*',
      'cannot be read from ".*" on; write fields as .name or [\'name\'] and elements ',
    ],
    ['$..phase', 'cannot be read from "..phase" on; '],
    ['$.status.list[*]', 'cannot be read from "[*]" on; '],
    ['$.status.list[-1]', 'cannot be read from "[-1]" on; '],
    ['$.status.list[01]', 'cannot be read from "[01]" on; '],
    ['$.status.list.0', 'cannot be read from ".0" on; '],
    ['$.status.list[0:2]', 'cannot be read from "[0:2]" on; '],
    ['$.status.list[?(@.type=="Ready")].status', 'cannot be read from "[?(@.type=='],
    ['$.status.', 'cannot be read from "." on; '],
    ["$.status['a", 'cannot be read from "[\'a" on; '],
    [String.raw`$.status['\n']`, String.raw`cannot be read from "['\\n']" on; `],
    ['$.status phase', 'cannot be read from " phase" on; '],
    [`$.status ${'x'.repeat(100)}`, `cannot be read from " ${'x'.repeat(63)}"... on; `],
    [`$.${'x'.repeat(4095)}`, 'has 4097 characters; at most 4096 are allowed'],
  ])('%s is rejected, with the possible forms', (path, problem) => {
    const reading = readJsonPath(path);
    expect(reading.ok ? '' : reading.problem).toContain(problem);
  });
});
