import { describe, expect, it } from 'vitest';
import { outcome } from './subject.ts';

// Each expression was run through cel-go v0.22.0 as well, which gives the same value, or an error where this is one.
describe('comprehensions', () => {
  it.each([
    ['[1,2,3].all(x, x > 0)', 'bool true'],
    ['[1,2,3].all(x, x > 1)', 'bool false'],
    ['[1,2,3].exists(x, x > 2)', 'bool true'],
    ['[1,2,3].exists_one(x, x > 2)', 'bool true'],
    ['[1,2,3].exists_one(x, x > 1)', 'bool false'],
    ['[1,2,3].map(x, x * 2)', 'list [2,4,6]'],
    ['[1,2,3].map(x, x > 1, x * 2)', 'list [4,6]'],
    ['[1,2,3].filter(x, x > 1)', 'list [2,3]'],
    ['[].all(x, x > 1)', 'bool true'],
    ['[].filter(x, x > 1)', 'list []'],
    ['[].map(x, x)', 'list []'],
    ['([1] + obj.spec.list).map(x, x)', 'list [1,1,2,3]'],
    ['obj.spec.mixed.all(x, x > 0)', 'error no such overload'],
    ['obj.spec.mixed.exists(x, x == "a")', 'bool true'],
    ['obj.spec.mixed.exists(x, x > 2)', 'bool true'],
    ['obj.spec.mixed.exists(x, x > 100)', 'error no such overload'],
    ['obj.spec.mixed.exists_one(x, x > 2)', 'error no such overload'],
    ['obj.spec.mixed.map(x, x + 1)', 'error no such overload'],
    ['obj.spec.mixed.filter(x, x > 1)', 'error no such overload'],
    ['obj.spec.list.filter(x, obj.zero)', 'error no such overload'],
    ['obj.spec.list.all(x, obj.zero)', 'error no such overload'],
    ['obj.spec.list.exists(x, obj.zero)', 'error no such overload'],
    ['obj.spec.list.exists_one(x, obj.zero)', 'error no such overload'],
    ['obj.spec.list.map(x, obj.zero, x)', 'error no such overload'],
    ['obj.spec.list.map(x, obj.missing)', 'error no such key: missing'],
    ['obj.metadata.labels.exists(k, k == "app")', 'bool true'],
    ['obj.metadata.labels.all(k, k != "zzz")', 'bool true'],
    ['{"a":1}.map(k, k)', 'list ["a"]'],
    ['obj.spec.replicas.map(x, x)', "error got 'int', expected iterable type"],
    ['obj.nul.all(x, true)', "error got 'null_type', expected iterable type"],
    ['obj.s.all(x, true)', "error got 'string', expected iterable type"],
    ['obj.spec.containers.map(c, c.name)', 'list ["c1","c2"]'],
    [
      'obj.spec.containers.filter(c, c.image.startsWith("nginx"))',
      'list [{"image":"nginx:1.2","name":"c1","ports":[80]}]',
    ],
    ['obj.spec.containers.exists(c, c.ports.exists(p, p == 80))', 'bool true'],
    ['returned.status.conditions.exists(c, c.type == "Ready" && c.status == "True")', 'bool true'],
    [
      'returned.status.conditions.filter(c, c.type == "Ready")[0].lastTransitionTime',
      'string 2024-05-06T07:08:09Z',
    ],
    ['returned.status.conditions.all(c, has(c.lastTransitionTime))', 'bool false'],
    [
      'returned.status.conditions.map(c, c.lastTransitionTime)',
      'error no such key: lastTransitionTime',
    ],
    ['obj.spec.list.map(x, x)[0]', 'int 1'],
    ['obj.spec.list.map(x, [x, x])', 'list [[1,1],[2,2],[3,3]]'],
    ['obj.spec.list.map(x, {"v": x})', 'list [{"v":1},{"v":2},{"v":3}]'],
    ['obj.spec.list.map(x, obj.spec.list.map(y, x * y))', 'list [[1,2,3],[2,4,6],[3,6,9]]'],
    ['obj.spec.list.map(x, obj.spec.list.filter(x, x > 1))', 'list [[2,3],[2,3],[2,3]]'],
    ['obj.spec.list.exists(obj, obj == 1)', 'bool true'],
    ['obj.spec.list.map(int, int)', 'list [1,2,3]'],
    ['obj.spec.list.map(type, 1)', 'list [1,1,1]'],
    ['[1].map(x, [2].map(y, [3].map(z, x+y+z)))', 'list [[[6]]]'],
    ['obj.spec.list.exists(x, x > 0 && obj.missing)', 'error no such key: missing'],
    ['[[1,2],[3]].map(l, l.map(x, x + 1))', 'list [[2,3],[4]]'],
    ['obj.spec.mixed.filter(x, x == null)', 'list [null]'],
  ])('%s gives %s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});
