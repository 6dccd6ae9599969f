import { describe, expect, it } from 'vitest';
import {
  deploymentDisplay,
  deploymentMessage,
  deploymentState,
  isApplied,
  isReady,
} from '#shared/core/fleet/deployment-state.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { bundleDeployment } from './fixtures/objects.ts';
import { condition } from './fixtures/parts.ts';

type Case = readonly [what: string, deployment: JsonObject, state: string];

const WAITING = 'dependent bundle(s) are not ready: [database cache]';

function deployed(status: string, message = ''): JsonObject {
  return { conditions: [condition('Deployed', status, { message })] };
}

/** A BundleDeployment of which the agent has applied the version before. */
function behind(status: JsonObject = {}): JsonObject {
  return bundleDeployment({ status: { appliedDeploymentID: 's-1:1', ...status } });
}

/** One that is wrong in every way, and the last of the questions that is still to be asked. */
const NOTHING_RIGHT = { ready: false, nonModified: false };

describe('the state of a BundleDeployment (Fleet, Status Fields, Bundle Statuses)', () => {
  it.each<Case>([
    ['Ready where it is applied, ready, staged and not modified', bundleDeployment(), 'Ready'],
    ['ErrApplied where applying has failed', behind(deployed('False', 'boom')), 'ErrApplied'],
    ['ErrApplied without a message', behind(deployed('False')), 'ErrApplied'],
    [
      'ErrApplied also where it is neither ready nor unmodified',
      behind({ ...deployed('False', 'boom'), ...NOTHING_RIGHT }),
      'ErrApplied',
    ],
    ['WaitApplied while Deployed is True', behind(deployed('True')), 'WaitApplied'],
    ['WaitApplied while Deployed is Unknown', behind(deployed('Unknown')), 'WaitApplied'],
    ['WaitApplied without a condition', behind({ conditions: [] }), 'WaitApplied'],
    ['WaitApplied where nothing is ready either', behind(NOTHING_RIGHT), 'WaitApplied'],
    ['WaitApplied with no status yet', { ...bundleDeployment(), status: {} }, 'WaitApplied'],
    [
      'WaitApplied while it waits for what it depends on, where Fleet says ErrApplied',
      behind(deployed('False', WAITING)),
      'WaitApplied',
    ],
    [
      'ErrApplied where an error only speaks of dependent bundles',
      behind(deployed('False', `boom: ${WAITING}`)),
      'ErrApplied',
    ],
    [
      'NotReady where a resource is not',
      bundleDeployment({ status: { ready: false } }),
      'NotReady',
    ],
    [
      'NotReady before it is OutOfSync or Modified',
      bundleDeployment({ spec: { stagedDeploymentID: 's-2:2' }, status: NOTHING_RIGHT }),
      'NotReady',
    ],
    [
      'NotReady after an error that waiting does not mend: the version counts as applied',
      bundleDeployment({
        status: {
          ready: false,
          conditions: [
            condition('Installed', 'False', { message: 'not installed: timed out' }),
            condition('Deployed', 'True'),
          ],
        },
      }),
      'NotReady',
    ],
    [
      'NotReady where Deployed is False but the version is applied',
      bundleDeployment({ status: { ready: false, ...deployed('False', 'boom') } }),
      'NotReady',
    ],
    [
      'Ready where Deployed is False but the version is applied',
      bundleDeployment({ status: deployed('False', 'boom') }),
      'Ready',
    ],
    [
      'OutOfSync where another version is staged, as in a paused rollout',
      bundleDeployment({ spec: { paused: true, stagedDeploymentID: 's-2:2' } }),
      'OutOfSync',
    ],
    [
      'OutOfSync before it is Modified',
      bundleDeployment({ spec: { stagedDeploymentID: 's-2:2' }, status: { nonModified: false } }),
      'OutOfSync',
    ],
    [
      'Modified where a resource is',
      bundleDeployment({ status: { nonModified: false } }),
      'Modified',
    ],
    ['NotReady where nothing is wanted and nothing known: absent texts are empty', {}, 'NotReady'],
  ])('is %s', (_what, deployment, state) => {
    expect(deploymentState(deployment)).toBe(state);
  });

  it.each<readonly [what: string, value: JsonValue]>([
    ['a text', 'true'],
    ['a number', 1],
    ['null', null],
    ['an object', { value: true }],
  ])('takes %s in place of true for false', (_what, value) => {
    expect(isReady(bundleDeployment({ status: { ready: value } }))).toBe(false);
    expect(deploymentState(bundleDeployment({ status: { nonModified: value } }))).toBe('Modified');
  });

  it('treats an id that is not a string as missing', () => {
    expect(isApplied(bundleDeployment({ status: { appliedDeploymentID: 7 } }))).toBe(false);
    expect(isApplied({ spec: { deploymentID: 7 }, status: { appliedDeploymentID: [] } })).toBe(
      true,
    );
  });
});

function saying(texts: Readonly<Record<string, string>>, status = 'False'): JsonObject {
  const conditions = Object.entries(texts).map(([type, message]) =>
    condition(type, status, { message }),
  );
  return { conditions };
}

describe("the message of a BundleDeployment (Fleet's code, MessageFromDeployment)", () => {
  const ALL = { Ready: 'not ready', Monitored: 'seen', Installed: 'made', Deployed: 'boom' };
  const { Deployed: _deployed, ...WITHOUT_DEPLOYED } = ALL;
  const { Installed: _installed, ...WITHOUT_INSTALLED } = WITHOUT_DEPLOYED;

  it.each<readonly [what: string, deployment: JsonObject, message: string]>([
    ['that of Deployed', bundleDeployment({ status: saying(ALL) }), 'boom'],
    ['also where it is True', bundleDeployment({ status: saying(ALL, 'True') }), 'boom'],
    ['then that of Installed', bundleDeployment({ status: saying(WITHOUT_DEPLOYED) }), 'made'],
    ['of Installed only for the version that is wanted', behind(saying(WITHOUT_DEPLOYED)), 'seen'],
    ['then that of Monitored', bundleDeployment({ status: saying(WITHOUT_INSTALLED) }), 'seen'],
    ['never that of Ready', bundleDeployment({ status: saying({ Ready: 'not ready' }) }), ''],
    ['nothing without conditions', bundleDeployment({ status: { conditions: [] } }), ''],
    ['nothing of a list of something else', { status: { conditions: [1, null, 'Deployed'] } }, ''],
  ])('is %s', (_what, deployment, message) => {
    expect(deploymentMessage(deployment)).toBe(message);
  });
});

describe('the display of a BundleDeployment (Fleet, Status Fields, BundleDeploymentDisplay)', () => {
  it('has the states of its conditions, and Ready written out', () => {
    expect(deploymentDisplay(bundleDeployment())).toEqual({
      deployed: 'True',
      monitored: 'True',
      state: 'Ready',
    });
  });

  it("has the text of an error (Fleet's code)", () => {
    const conditions = [
      condition('Deployed', 'False', { reason: 'Error', message: 'boom' }),
      condition('Monitored', 'False', { message: 'not said' }),
    ];
    expect(deploymentDisplay(behind({ conditions }))).toEqual({
      deployed: 'Error: boom',
      monitored: 'False',
      state: 'ErrApplied',
    });
  });

  it('leaves out what is not known', () => {
    expect(deploymentDisplay({})).toEqual({ state: 'NotReady' });
  });
});
