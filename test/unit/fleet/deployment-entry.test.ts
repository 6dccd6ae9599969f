import { expect, it } from 'vitest';
import { deploymentContent, resourceEntry } from '#shared/core/fleet/deployment-entry.ts';
import { deploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { deploymentIn } from './fixtures/states.ts';

const REF = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop' };

it('a resource without a problem has no empty members', () => {
  const state = { ref: REF, state: 'Ready', error: false, transitioning: false, message: '' };
  expect(resourceEntry(state)).toEqual({
    apiVersion: 'v1',
    kind: 'Namespace',
    name: 'shop',
    state: 'Ready',
  });
});

it('a resource with a problem says which', () => {
  const ref = { ...REF, kind: 'Pod', namespace: 'shop', name: 'web' };
  const state = { ref, state: 'NotReady', error: true, transitioning: true, message: 'no image' };
  expect(resourceEntry(state)).toEqual({ ...state, ref: undefined, ...ref });
});

it('a BundleDeployment whose agent has left out resources is marked as incomplete', () => {
  const row = deploymentRow(deploymentIn('Ready'));
  expect(deploymentContent(row)).not.toHaveProperty('incomplete');
  expect(deploymentContent({ ...row, incomplete: true })).toHaveProperty('incomplete', true);
});
