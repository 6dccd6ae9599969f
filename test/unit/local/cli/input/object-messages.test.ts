import { expect, it } from 'vitest';
import {
  fileAsName,
  notAName,
  notBound,
  notGiven,
  severalObjects,
} from '#local/cli/input/object-messages.ts';

it('says in these words what is wrong with the name of an object', () => {
  const text = 'pod/p';
  const titles = Array.from(
    { length: 12 },
    (_none, index) => `pod/${String.fromCharCode(108 - index)}`,
  );
  expect([
    notAName('web'),
    fileAsName('wds.yaml'),
    notGiven({ text }, ['pod/o -n a'], 'pod/o -n a'),
    notGiven({ text, namespace: 'a' }, ['pod/y', 'pod/x'], undefined),
    notGiven({ text }, [], undefined),
    notBound({ text }),
    notBound({ text, namespace: 'a' }),
    severalObjects(text, titles),
  ]).toEqual([
    'web names no object: write KIND/NAME, such as deployment/web',
    'wds.yaml is a file: give it with -f, and an object as KIND/NAME, such as deployment/web',
    'there is no pod/p among the given objects: did you mean pod/o -n a?',
    'there is no pod/p in namespace a among the given objects: the objects are pod/x, pod/y',
    'there is no pod/p among the given objects: give it with -f',
    'there is no pod/p that a Binding sends to WECs: starfold get why -A lists the objects',
    'there is no pod/p in namespace a that a Binding sends to WECs: starfold get why -A lists the objects',
    'pod/p is the name of several objects: pod/a, pod/b, pod/c, pod/d, pod/e, pod/f, pod/g, pod/h, pod/i, pod/j, and 2 more: give the namespace with -n, or the group as in deployments.apps/web',
  ]);
});
