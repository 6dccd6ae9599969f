import { describe, expect, it } from 'vitest';
import { readJsonPath } from '#shared/core/expression/json-path.ts';
import { noPath, unknownBeginning, unreadableSteps } from '#shared/core/expression/messages.ts';

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
    ['status.phase', noPath('"status.phase"')],
    ['', noPath('""')],
    ['{$.status}', noPath('"{$.status}"')],
    ['$', unknownBeginning('"$"')],
    ['$.metadata.name', unknownBeginning('"$.metadata.name"')],
    ['$.constructor', unknownBeginning('"$.constructor"')],
    ['$[0]', unknownBeginning('"$[0]"')],
    ['$.status.*', unreadableSteps('".*"')],
    ['$..phase', unreadableSteps('"..phase"')],
    ['$.status.list[*]', unreadableSteps('"[*]"')],
    ['$.status.list[-1]', unreadableSteps('"[-1]"')],
    ['$.status.list[01]', unreadableSteps('"[01]"')],
    ['$.status.list.0', unreadableSteps('".0"')],
    ['$.status.list[0:2]', unreadableSteps('"[0:2]"')],
    ['$.status.list[?(@.type=="Ready")].status', 'the part "[?(@.type=='],
    ['$.status.', unreadableSteps('"."')],
    ["$.status['a", 'the part "[\'a" cannot be read; '],
    [String.raw`$.status['\n']`, String.raw`the part "['\\n']" cannot be read; `],
    ['$.status phase', unreadableSteps('" phase"')],
    [`$.status ${'x'.repeat(100)}`, `the part " ${'x'.repeat(63)}"... cannot be read; `],
    [`$.${'x'.repeat(4095)}`, 'has 4097 characters; at most 4096 are allowed'],
  ])('%s is rejected, with the possible forms', (path, problem) => {
    const reading = readJsonPath(path);
    expect(reading.ok ? '' : reading.problem).toContain(problem);
  });
});
