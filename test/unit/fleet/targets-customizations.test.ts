import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#shared/core/json.ts';
import { ALL, DEV, names, PROD } from './targets-fleet.ts';

describe('bundleTargets', () => {
  const stop = { ...PROD, doNotDeploy: true };
  it.each<[string, JsonValue[], JsonValue[], string]>([
    ['by its place, without restrictions none', [stop, ALL], [], 'dev loner'],
    ['by its place, before the restricted', [stop, ALL], [ALL], 'dev loner'],
    ['by its place, no customization but a target', [ALL, stop], [ALL, ALL], 'dev loner prod'],
    ['by its place, the last customization', [DEV, stop, ALL], [ALL], 'dev loner'],
    ['by its place, selects nothing', [PROD, DEV], [ALL], 'dev'],
    ['by its place, fewer targets than restrictions', [PROD], [ALL, ALL], 'prod'],
    ['by its source, in any place', [ALL, { ...stop, source: 'customization' }], [], 'dev loner'],
    [
      'by its source, in spite of its place',
      [{ ...PROD, source: 'gitrepo' }, DEV],
      [ALL],
      'dev prod',
    ],
    ['not restricted itself', [{ ...stop, source: 'customization' }, ALL], [ALL], 'dev loner'],
    ['in any group', [{ clusterGroup: 'east', doNotDeploy: true }, ALL], [ALL], 'dev loner'],
    [
      'in a group that is not restricted to',
      [
        { clusterGroup: 'east', doNotDeploy: true },
        { clusterGroup: 'all', source: 'gitrepo' },
      ],
      [{ clusterGroup: 'all' }],
      'dev',
    ],
    ['without doNotDeploy', [PROD, ALL], [ALL], 'dev loner prod'],
  ])('knows a customization (determineIsCustomization): %s', (...row) => {
    const [, targets, targetRestrictions, expected] = row;
    expect(names({ targets, targetRestrictions })).toBe(expected);
  });

  it.each<[string, JsonValue, JsonValue[], string]>([
    ['FirstMatch', 'FirstMatch', [ALL, stop], 'dev loner prod'],
    ['FirstMatch, doNotDeploy first', 'FirstMatch', [stop, ALL], 'dev loner'],
    ['FirstMatch, between others', 'FirstMatch', [DEV, stop, ALL], 'dev loner'],
    ['absent is FirstMatch', null, [ALL, stop], 'dev loner prod'],
    ['AllMatches', 'AllMatches', [ALL, stop], 'dev loner'],
    ['AllMatches, doNotDeploy first', 'AllMatches', [stop, ALL], 'dev loner'],
    ['AllMatches, without doNotDeploy', 'AllMatches', [ALL, PROD], 'dev loner prod'],
  ])('applies the customizations by the mode (Targets): %s', (...row) => {
    const [, targetCustomizationMode, customizations, expected] = row;
    const spec = {
      targetCustomizationMode,
      targets: [...customizations, ALL],
      targetRestrictions: [ALL],
    };
    expect(names(spec)).toBe(expected);
  });
});
