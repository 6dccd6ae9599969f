import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import {
  deployment,
  drift,
  NONE,
  notReady,
  object,
  problem,
  READY,
  resource,
  statusWith,
  UPDATED_FALSE,
} from './deployments.ts';

const settings = resource('settings');
const extra = resource('extra');

interface Case {
  readonly stored: JsonObject;
  readonly objects: readonly JsonObject[];
  readonly found: JsonObject;
}

describe('the status of a BundleDeployment (fleet agent, updatestatus)', () => {
  it.each<readonly [what: string, given: Case]>([
    [
      'all ready',
      {
        stored: { resources: [settings, extra] },
        objects: [object('settings'), object('extra')],
        found: {
          ready: true,
          nonModified: true,
          resourceCounts: { ...NONE, ready: 2, desiredReady: 2 },
          conditions: [READY],
        },
      },
    ],
    [
      'no resources',
      {
        stored: {},
        objects: [],
        found: {
          ready: true,
          nonModified: true,
          resourceCounts: NONE,
          conditions: [READY],
        },
      },
    ],
    [
      'orphaned: not wanted, so not desired',
      {
        stored: { resources: [settings], modifiedStatus: [drift('extra', { delete: true })] },
        objects: [object('settings'), object('extra')],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { delete: true })],
          resourceCounts: { ...NONE, ready: 1, desiredReady: 1, orphaned: 1 },
          conditions: [problem('configmap.v1 shop/extra extra')],
        },
      },
    ],
    [
      'orphaned, and listed: takes its key out',
      {
        stored: {
          resources: [settings, extra],
          modifiedStatus: [drift('extra', { delete: true })],
        },
        objects: [object('settings'), object('extra', 'ConfigMap', [UPDATED_FALSE])],
        found: {
          nonReadyStatus: [notReady('extra')],
          modifiedStatus: [drift('extra', { delete: true })],
          resourceCounts: { ...NONE, ready: 1, desiredReady: 2, orphaned: 1 },
          conditions: [problem('configmap.v1 shop/extra [error] old, Resource is always ready')],
        },
      },
    ],
    [
      'orphaned, and not ready: says nothing of the deployment',
      {
        stored: { modifiedStatus: [drift('extra', { delete: true })] },
        objects: [object('extra', 'ConfigMap', [UPDATED_FALSE])],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { delete: true })],
          resourceCounts: { ...NONE, orphaned: 1 },
          conditions: [problem('configmap.v1 shop/extra extra')],
        },
      },
    ],
    [
      'orphaned, and gone: in order',
      {
        stored: { resources: [settings], modifiedStatus: [drift('extra', { delete: true })] },
        objects: [object('settings')],
        found: {
          ready: true,
          nonModified: true,
          resourceCounts: { ...NONE, ready: 1, desiredReady: 1 },
          conditions: [READY],
        },
      },
    ],
    [
      'missing',
      {
        stored: { resources: [settings, extra] },
        objects: [object('settings')],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { missing: true })],
          resourceCounts: { ...NONE, ready: 1, desiredReady: 2, missing: 1 },
          conditions: [problem('configmap.v1 shop/extra missing')],
        },
      },
    ],
    [
      'missing, as the agent has said, which does not list it: still desired',
      {
        stored: { resources: [settings], modifiedStatus: [drift('extra', { missing: true })] },
        objects: [object('settings')],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { missing: true })],
          resourceCounts: { ...NONE, ready: 1, desiredReady: 2, missing: 1 },
          conditions: [problem('configmap.v1 shop/extra missing')],
        },
      },
    ],
    [
      'missing, and back: listed again',
      {
        stored: { resources: [settings], modifiedStatus: [drift('extra', { missing: true })] },
        objects: [object('settings'), object('extra', 'ConfigMap', [UPDATED_FALSE])],
        found: {
          nonModified: true,
          resources: [settings, extra],
          nonReadyStatus: [notReady('extra')],
          resourceCounts: { ...NONE, ready: 1, desiredReady: 2, notReady: 1 },
          conditions: [problem('configmap.v1 shop/extra [error] old, Resource is always ready')],
        },
      },
    ],
    [
      'missing, listed, and back: listed once',
      {
        stored: { resources: [settings], modifiedStatus: [drift('settings', { missing: true })] },
        objects: [object('settings')],
        found: {
          ready: true,
          nonModified: true,
          resourceCounts: { ...NONE, ready: 1, desiredReady: 1 },
          conditions: [READY],
        },
      },
    ],
    [
      'not owned by us: stays so, and its state is not ours',
      {
        stored: { modifiedStatus: [drift('extra', { missing: true, exist: true })] },
        objects: [object('extra', 'ConfigMap', [UPDATED_FALSE])],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { missing: true, exist: true })],
          resourceCounts: { ...NONE, desiredReady: 1, missing: 1 },
          conditions: [problem('configmap.v1 shop/extra is not owned by us')],
        },
      },
    ],
    [
      'not owned by us, and gone: missing',
      {
        stored: { modifiedStatus: [drift('extra', { missing: true, exist: true })] },
        objects: [],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { missing: true })],
          resourceCounts: { ...NONE, desiredReady: 1, missing: 1 },
          conditions: [problem('configmap.v1 shop/extra missing')],
        },
      },
    ],
    [
      'modified, and not ready: counts as modified, and reads as not ready',
      {
        stored: {
          resources: [settings, extra],
          modifiedStatus: [drift('extra', { patch: '{"data":{}}' })],
        },
        objects: [object('settings'), object('extra', 'ConfigMap', [UPDATED_FALSE])],
        found: {
          nonReadyStatus: [notReady('extra')],
          modifiedStatus: [drift('extra', { patch: '{"data":{}}' })],
          resourceCounts: { ...NONE, ready: 1, desiredReady: 2, modified: 1 },
          conditions: [problem('configmap.v1 shop/extra [error] old, Resource is always ready')],
        },
      },
    ],
    [
      'modified, and gone: missing',
      {
        stored: { resources: [extra], modifiedStatus: [drift('extra', { patch: '{}' })] },
        objects: [],
        found: {
          ready: true,
          modifiedStatus: [drift('extra', { missing: true })],
          resourceCounts: { ...NONE, desiredReady: 1, missing: 1 },
          conditions: [problem('configmap.v1 shop/extra missing')],
        },
      },
    ],
    [
      'not ready, and modified: the first of both, by uid',
      {
        stored: {
          resources: [settings, extra],
          modifiedStatus: [drift('settings', { patch: '{}' })],
        },
        objects: [
          object('settings'),
          object('extra', 'ConfigMap', [{ ...UPDATED_FALSE, status: 'Unknown' }]),
        ],
        found: {
          nonReadyStatus: [
            {
              ...notReady('extra'),
              summary: {
                state: 'updating',
                transitioning: true,
                message: ['old', 'Resource is always ready'],
              },
            },
          ],
          modifiedStatus: [drift('settings', { patch: '{}' })],
          resourceCounts: { ...NONE, desiredReady: 2, modified: 1, notReady: 1 },
          conditions: [
            problem('configmap.v1 shop/extra [progressing] old, Resource is always ready'),
          ],
        },
      },
    ],
  ])('%s', (_what, { stored, objects, found }) => {
    const { resources = [] } = stored;
    const wanted = { appliedDeploymentID: 's-1:1', ...found };
    expect(statusWith(deployment(stored), objects)).toEqual(
      'resources' in stored || 'resources' in found ? { resources, ...wanted } : wanted,
    );
  });
});
