import { expect, it } from 'vitest';
import { compileFieldSelector } from '#local/simulated-cluster/field-selector.ts';
import { compileLabelSelector } from '#local/simulated-cluster/label-selector.ts';

const OBJECTS = [
  { metadata: { name: 'front', namespace: 'x', labels: { app: 'web', tier: 'front', size: '5' } } },
  { metadata: { name: 'back', namespace: 'x', labels: { app: 'web', tier: 'back', size: '20' } } },
  { metadata: { name: 'bare', namespace: 'y' }, spec: { nodeName: 'n1' } },
];

function names(selects: (object: (typeof OBJECTS)[number]) => boolean): readonly string[] {
  return OBJECTS.filter((object) => selects(object)).map(({ metadata }) => metadata.name);
}

it.each([
  ['', ['front', 'back', 'bare']],
  ['app=web', ['front', 'back']],
  ['tier==back', ['back']],
  ['tier!=back', ['front', 'bare']],
  ['tier in (back, front)', ['front', 'back']],
  ['tier notin (back)', ['front', 'bare']],
  ['tier', ['front', 'back']],
  ['!tier', ['bare']],
  ['size>5', ['back']],
  ['size<20', ['front']],
  ['app=web,tier in (back,side),size>1', ['back']],
  ['tier=', []],
  ['  ', ['front', 'back', 'bare']],
  ['tier in ()', []],
  ['tier notin ()', ['front', 'back', 'bare']],
  ['app>1', []],
])('the label selector "%s" selects %j', (selector, expected) => {
  expect(names(compileLabelSelector(selector))).toEqual(expected);
});

it.each([
  'a b',
  'tier in back',
  'a=b=c',
  '=x',
  'size>many',
  'size>-1',
  'size<9223372036854775808',
  ',',
  'app,',
  'app,,tier',
  '!app in (web)',
  '-app',
  'app=-web',
])('the label selector "%s" is refused, as an API server does', (selector) => {
  expect(() => compileLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400 }));
});

it.each([
  ['', ['front', 'back', 'bare']],
  ['metadata.name=back', ['back']],
  ['metadata.name==back,metadata.namespace=y', []],
  ['metadata.namespace!=x', ['bare']],
  ['spec.nodeName=n1', ['bare']],
  ['spec.nodeName=', ['front', 'back']],
])('the field selector "%s" selects %j', (selector, expected) => {
  expect(names(compileFieldSelector(selector, ['spec.nodeName']))).toEqual(expected);
});

it.each(['status.phase=Running', 'metadata.name'])(
  'the field selector "%s" is refused',
  (selector) => {
    expect(() => compileFieldSelector(selector)).toThrow(expect.objectContaining({ code: 400 }));
  },
);
