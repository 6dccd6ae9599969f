import { describe, expect, it } from 'vitest';
import {
  parseWecStatusName,
  parseWorkloadText,
  wecStatusName,
} from '#shared/core/status-api/status-name.ts';

describe('the name of a WECStatus', () => {
  it('names the resource, the object and the WEC', () => {
    const workload = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
    expect(wecStatusName({ workload, wec: 'edge-00017' })).toBe('deployments.apps:web:edge-00017');
  });

  it('has no group for the core group', () => {
    const workload = { group: '', resource: 'services', namespace: 'shop', name: 'web' };
    expect(wecStatusName({ workload, wec: 'east' })).toBe('services:web:east');
    expect(parseWecStatusName('services:web:east', 'shop')).toEqual({ workload, wec: 'east' });
  });

  it.each([
    ['', 'is empty'],
    ['web', 'has no colon'],
    ['services:web', 'has no WEC'],
    ['services::east', 'has no object'],
    ['services:web:', 'has an empty WEC'],
    [':web:east', 'has no resource'],
    ['Services:web:east', 'has a resource in upper case'],
    ['deployments.:web:east', 'has an empty group'],
    ['deployments.Apps:web:east', 'has an invalid group'],
    ['services:a/b:east', 'has a slash'],
    ['services:web:a b', 'has a WEC with a space'],
  ])('"%s" is none: it %s', (text) => {
    expect(parseWecStatusName(text, 'shop')).toBeUndefined();
  });

  it.each(['', 'web', 'services:', 'services:..', '-:web'])(
    '"%s" names no workload object',
    (text) => {
      expect(parseWorkloadText(text, '')).toBeUndefined();
    },
  );
});
