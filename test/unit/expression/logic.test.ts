import { describe, expect, it } from 'vitest';
import { outcome } from './subject.ts';

// Each expression was run through cel-go v0.22.0 as well, which gives the same value, or an error where this is one.
describe('logical operators and conditions', () => {
  it.each([
    ['true || obj.missing', 'bool true'],
    ['obj.missing || true', 'bool true'],
    ['false || obj.missing', 'error no such key: missing'],
    ['obj.missing || false', 'error no such key: missing'],
    ['false && obj.missing', 'bool false'],
    ['obj.missing && false', 'bool false'],
    ['true && obj.missing', 'error no such key: missing'],
    ['obj.missing && true', 'error no such key: missing'],
    ['obj.zero || true', 'bool true'],
    ['obj.zero && false', 'bool false'],
    ['obj.zero && true', 'error no such overload'],
    ['true && obj.zero', 'error no such overload'],
    ['false || obj.zero', 'error no such overload'],
    ['obj.missing || obj.zero', 'error no such key: missing'],
    ['obj.missing1 || obj.missing2', 'error no such key: missing1'],
    ['obj.nul ? 1 : 2', 'error no such overload'],
    ['obj.zero ? 1 : 2', 'error no such overload'],
    ['obj.missing ? 1 : 2', 'error no such key: missing'],
    ['obj.yes ? 1 : 2', 'int 1'],
    ['!obj.yes', 'bool false'],
    ['!obj.zero', 'error no such overload'],
    ['!obj.nul', 'error no such overload'],
    ['!dyn(1)', 'error no such overload'],
    ['true ? 1 : true ? 2 : 3', 'int 1'],
    ['!true', 'bool false'],
    ['!!true', 'bool true'],
    ['"a" in ["a"] && true', 'bool true'],
    ['1 < 2 && 2 < 3 || false', 'bool true'],
    ['true || false && false', 'bool true'],
    ['obj.spec.replicas > 1 ? "many" : "few"', 'string many'],
    ['true ? [1] : [dyn(1)]', 'list [1]'],
    ['true ? [] : [1]', 'list []'],
    ['true ? {} : {"a":1}', 'map {}'],
    [
      'true ? obj : {"a":1}',
      'map {"aaa":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!","apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":7,"labels":{"a":"x","app":"web","b":"y","constructor":"c","tier":null},"name":"web","namespace":"ns"},"neg":-5,"nul":null,"num":"12","s":"héllo😀","spec":{"big":9223372036854775807,"containers":[{"image":"nginx:1.2","name":"c1","ports":[80]},{"image":"redis","name":"c2","ports":[]}],"empty":[],"f":1.5,"huge":1e+30,"list":[1,2,3],"mixed":[1,"a",2.5,null,true],"p53":9007199254740993,"replicas":3,"whole":2.0},"t":"2024-05-06T07:08:09Z","yes":true,"zero":0}',
    ],
    ['obj.nul == null && true', 'bool true'],
    ['false ? 1 : 2', 'int 2'],
  ])('%s gives %s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});
