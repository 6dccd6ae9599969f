import { describe, expect, it } from 'vitest';
import type { ResourceSummary } from '#shared/core/fleet/resource/rule.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { CURRENT, entry, expected, summarize, widget } from './summaries.ts';

const SOURCES = {
  order: "Fleet's summarizers, in their order",
  transitioning: "Fleet's summarizers, checkTransitioning",
} as const;

describe('several conditions', () => {
  it.each<readonly [what: string, conditions: JsonValue, found: ResourceSummary]>([
    [
      `the last False of a well-known type names the state (${SOURCES.transitioning})`,
      [entry('Installed', 'False'), entry('Updated', 'False')],
      expected('updating', 'error', ['Installed message.', 'Updated message.', CURRENT]),
    ],
    [
      `an Unknown one does not replace a state (${SOURCES.transitioning})`,
      [entry('Installed', 'Unknown'), entry('Updated', 'Unknown')],
      expected('installing', 'transitioning', ['Installed message.', CURRENT]),
    ],
    [
      `a False one replaces the state error (${SOURCES.order})`,
      [entry('Updated', 'False', { reason: 'Error' })],
      expected('updating', 'error', ['Updated message.', CURRENT]),
    ],
    [
      `after an error an Unknown one is not read (${SOURCES.order})`,
      [entry('Odd', 'False', { reason: 'Error' }), entry('Updated', 'Unknown')],
      expected('error', 'error', ['Odd message.', CURRENT]),
    ],
    [
      `Reconciling=True is a transition (${SOURCES.transitioning})`,
      [entry('Reconciling', 'True')],
      expected('reconciling', 'transitioning', ['Reconciling message.']),
    ],
    [
      `Reconciling=True is read before those that say Ready (${SOURCES.transitioning})`,
      [entry('Available', 'False'), entry('Reconciling', 'True')],
      expected('reconciling', 'transitioning', ['Reconciling message.']),
    ],
    [
      `Reconciling=Unknown says nothing (${SOURCES.transitioning})`,
      [entry('Reconciling', 'Unknown')],
      expected('active', 'ready', [CURRENT]),
    ],
    [
      `Reconciling=True does not replace a state (${SOURCES.transitioning})`,
      [entry('Reconciling', 'True'), entry('Updated', 'False')],
      expected('updating', 'both', ['Updated message.', 'Reconciling message.']),
    ],
    [
      `Ready=False is read after every other one (${SOURCES.transitioning})`,
      [entry('Ready', 'False'), entry('Available', 'False')],
      expected('updating', 'transitioning', ['Available message.', 'Ready message.']),
    ],
    [
      `the last Ready=False counts (${SOURCES.transitioning})`,
      [entry('Ready', 'False', { message: 'a' }), entry('Ready', 'False', { message: 'b' })],
      expected('unavailable', 'transitioning', ['b', 'a']),
    ],
    [
      `the first that says Ready names the state (${SOURCES.transitioning})`,
      [entry('Completed', 'False'), entry('Available', 'Unknown')],
      expected('activating', 'transitioning', ['Completed message.', CURRENT]),
    ],
    [
      `one without the reason that is to be the state leaves the state to the next (${SOURCES.transitioning})`,
      [entry('NodeHealthy', 'Unknown', { reason: '' }), entry('Available', 'False')],
      expected('updating', 'both', ['NodeHealthy message.', 'Available message.', CURRENT]),
    ],
    [
      `Stalled=True is an error, and Failed to kstatus (${SOURCES.order})`,
      [entry('Stalled', 'True')],
      expected('error', 'error', ['Stalled message.']),
    ],
  ])('%s', (_what, conditions, found) => {
    expect(summarize(widget(conditions))).toEqual(found);
  });
});

describe("conditions in Rancher's annotation (Fleet's summarizers, getRawConditions)", () => {
  function annotated(text: string, conditions: readonly JsonObject[] = []): JsonObject {
    return {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', annotations: { 'cattle.io/status': text } },
      status: { phase: 'Active', conditions },
    };
  }

  it('come after those of the status', () => {
    const text = JSON.stringify({ conditions: [entry('InitialRolesPopulated', 'False')] });
    expect(summarize(annotated(text, [entry('Installed', 'False')]))).toEqual(
      expected('activating', 'error', [
        'Installed message.',
        'InitialRolesPopulated message.',
        CURRENT,
      ]),
    );
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['an object without a list', '{"conditions":{}}'],
    ['empty', ''],
  ])('are none if it is %s', (_what, text) => {
    expect(summarize(annotated(text))).toEqual(expected('active', 'ready', [CURRENT]));
  });
});

describe('spec.options.ignore.conditions (fleet agent, excludeIgnoredConditions)', () => {
  const conditions = [entry('Updated', 'False'), entry('Ready', 'False')];

  it.each<readonly [what: string, ignored: readonly JsonObject[], found: ResourceSummary]>([
    [
      'hides a condition with all of its members, from kstatus too',
      [{ type: 'Ready', status: 'False' }, { type: 'Updated' }],
      expected('active', 'ready', [CURRENT]),
    ],
    [
      'leaves the others',
      [{ type: 'Updated', reason: 'UpdatedReason' }],
      expected('unavailable', 'transitioning', ['Ready message.']),
    ],
    [
      'leaves a condition that has not all of its members',
      [
        { type: 'Updated', status: 'True' },
        { type: 'Ready', odd: 'x' },
      ],
      expected('updating', 'both', ['Updated message.', 'Ready message.']),
    ],
    ['hides every condition when it is empty', [{}], expected('active', 'ready', [CURRENT])],
    [
      'says nothing without entries',
      [],
      expected('updating', 'both', ['Updated message.', 'Ready message.']),
    ],
  ])('%s', (_what, ignored, found) => {
    expect(summarize(widget(conditions), ignored)).toEqual(found);
  });

  it.each<readonly [what: string, object: JsonObject]>([
    ['no status', { apiVersion: 'demo.example.com/v1', kind: 'Widget' }],
    ['no conditions', widget(null)],
    ['conditions that are no objects', widget(['odd', null])],
  ])('changes nothing of a resource with %s', (_what, object) => {
    expect(summarize(object, [{}])).toEqual(summarize(object));
  });
});
