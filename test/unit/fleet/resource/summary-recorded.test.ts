import { describe, expect, it } from 'vitest';
import { summarizeResource } from '#shared/core/fleet/resource/summary.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { recordedEvents } from '#test/property/status/recordings.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

/** State, flags and messages in one line: `pending !~ a | b`; `!` is an error, `~` a transition. */
function told(object: JsonObject): string {
  const { state, error, transitioning, message } = summarizeResource(object, { nowMs: NOW_MS });
  return `${state} ${error ? '!' : ''}${transitioning ? '~' : ''} ${message.join(' | ')}`;
}

/** Every change of what Fleet says about one WEC's object. */
function changes(scenario: string, kind: string): readonly string[] {
  const lines = recordedEvents(scenario, kind)
    .filter(({ cluster }) => cluster === 'wec1')
    .map(({ object }) => told(object));
  return lines.filter((line, index) => line !== lines[index - 1]);
}

const QUOTA =
  'pods "capped-998sb" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';

describe("a recorded object, as Fleet sees it change (Fleet's summarizers, in their order)", () => {
  it.each<readonly [scenario: string, kind: string, lines: readonly string[]]>([
    [
      'service-loadbalancer',
      'Service',
      [
        'pending ~ Service is ready | Load balancer is being provisioned',
        'active  Service is ready',
      ],
    ],
    [
      'replicaset-quota',
      'ReplicaSet',
      [
        'in-progress ~ Labelled: 0/4',
        `error !~ ${QUOTA} | Replica Failure condition. Check Pods`,
        'in-progress ~ Labelled: 2/4',
        'in-progress ~ Available: 2/4',
        'in-progress ~ Available: 3/4',
        'active  ReplicaSet is available. Replicas: 4',
      ],
    ],
    [
      'custom-resource',
      'Widget',
      [
        'active  Resource is current',
        'unavailable ~ Starting in this cluster',
        'running  Resource is Ready',
      ],
    ],
    [
      'namespace-terminating',
      'Namespace',
      ['active  Resource is current', 'terminating ~ Resource scheduled for deletion'],
    ],
  ])('%s', (scenario, kind, lines) => {
    expect(changes(scenario, kind)).toEqual(lines);
  });

  it('deployment-deadline: updating while too few pods are available', () => {
    expect(changes('deployment-deadline', 'Deployment').slice(0, 3)).toEqual([
      'in-progress ~ Replicas: 0/3',
      'updating ~ Deployment does not have minimum availability. | Replicas: 0/3',
      'updating ~ Deployment does not have minimum availability. | Available: 0/3',
    ]);
  });

  it('deployment-deadline: an error when the deadline is over', () => {
    const errors = recordedEvents('deployment-deadline', 'Deployment')
      .map(({ object }) => told(object))
      .filter((line) => line.includes('!'));
    expect(new Set(errors.map((line) => line.replace(/"[^"]*"/, '...')))).toEqual(
      new Set(['error ! ReplicaSet ... has timed out progressing. | Progress deadline exceeded']),
    );
  });
});
