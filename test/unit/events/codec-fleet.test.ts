import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventSubject, ForwarderEvent } from '#shared/core/event.ts';
import { fleetContent } from '#shared/core/fleet/fleet-content.ts';
import { FLEET_KINDS, FLEET_LABELS, type FleetResource } from '#shared/core/fleet-object.ts';
import { type JsonObject, parseJson, stringifyJson } from '#shared/core/json.ts';
import { decodeBatch, encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { largeJob, noFleetResource } from '#shared/events/messages.ts';
import { bundleDeployment, gitJob } from '#test/unit/fleet/fixtures/objects.ts';

const SOURCE = { type: 'fleet', name: 'upstream1' } as const;
const RESOURCES = Object.keys(FLEET_KINDS) as FleetResource[]; // Of a literal.
const VERSION = { epoch: 3, sequence: 12 };
const TIME = '2026-11-21T12:00:00.000Z';

function groupOf(resource: FleetResource): string {
  return resource === 'jobs' ? 'batch' : 'fleet.cattle.io';
}

function subjectOf(resource: FleetResource, object: JsonObject): EventSubject {
  const { namespace, name } = object['metadata'] as { namespace: string; name: string };
  return { group: groupOf(resource), resource, namespace, name };
}

function told(resource: FleetResource, object: JsonObject): ForwarderEvent {
  const subject = subjectOf(resource, object);
  const content = { type: 'fleet-object', subject, first: true, object } as const;
  return { source: SOURCE, version: VERSION, time: TIME, content };
}

const DEPLOYMENT = fleetContent('bundledeployments', bundleDeployment());
const JOB = fleetContent('jobs', gitJob());

/** A BundleDeployment with this UID. */
function withUid(uid: unknown): string {
  return changed((event) => {
    const metadata = { ...(DEPLOYMENT['metadata'] as JsonObject), uid };
    event['data'] = { first: true, object: { ...DEPLOYMENT, metadata } };
  });
}

const MAX_JOB_BYTES = 64 * 1024;

/** A Job that has so many bytes of JSON. */
function jobOf(bytes: number): JsonObject {
  const spare = bytes - Buffer.byteLength(stringifyJson({ ...JOB, spec: { suspend: '' } }));
  return { ...JOB, spec: { suspend: 'x'.repeat(spare) } };
}

/** An event whose text has been changed. */
function changed(
  change: (event: Record<string, unknown>) => void,
  original = told('bundledeployments', DEPLOYMENT),
): string {
  const event = JSON.parse(encodeEvent(original));
  change(event);
  return JSON.stringify([event]);
}

function labelled(label: string, value: string): string {
  const metadata = { ...(DEPLOYMENT['metadata'] as JsonObject), labels: { [label]: value } };
  return `[${encodeEvent(told('bundledeployments', { ...DEPLOYMENT, metadata }))}]`;
}

function owned(name: string): string {
  const owner = { apiVersion: 'fleet.cattle.io/v1alpha1', kind: 'GitRepo', name };
  const job = gitJob({ metadata: { ownerReferences: [owner] } });
  return `[${encodeEvent(told('jobs', fleetContent('jobs', job)))}]`;
}

describe('events of a management cluster of Fleet', () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  const object = fc.record({ spec: fc.dictionary(label, fc.jsonValue({ maxDepth: 2 })) });
  const content = fc
    .record({ resource: fc.constantFrom(...RESOURCES), namespace: label, name })
    .chain(({ resource, ...metadata }) =>
      fc.record(
        {
          type: fc.constant('fleet-object' as const),
          subject: fc.constant({ group: groupOf(resource), resource, ...metadata }),
          first: fc.boolean(),
          object: object.map((rest) => parseJson(JSON.stringify({ metadata, ...rest }))),
          ownedHash: fc.stringMatching(/^[0-9a-f]{32}$/),
        },
        { requiredKeys: ['type', 'subject', 'first'] },
      ),
    );

  it('come back as they were sent, whatever they say', () => {
    const source = fc.stringMatching(/^[A-Za-z0-9._:@-]{1,12}$/);
    fc.assert(
      fc.property(source, content, (upstream, { ownedHash, ...said }) => {
        // A deleted object has no owned hash.
        const whole =
          said.object === undefined || ownedHash === undefined ? said : { ...said, ownedHash };
        const event = { source: { ...SOURCE, name: upstream }, version: VERSION, time: TIME };
        const original = { ...event, content: whole } as ForwarderEvent;
        const decoded = decodeBatch(encodeBatch([encodeEvent(original)]));
        expect(decoded.errors).toEqual([]);
        expect(decoded.events).toEqual([original]);
      }),
    );
  });

  it('have their owned hash under the name that release 0.1 reads', () => {
    const { content, ...event } = told('bundles', { metadata: { namespace: 'n', name: 'web' } });
    const encoded = encodeEvent({
      ...event,
      content: { ...content, ownedHash: 'f' },
    } as ForwarderEvent);
    expect(JSON.parse(encoded)).toMatchObject({ data: { facet: 'f' } });
  });

  it.each([
    ['that this was all', { type: 'snapshot', since: { epoch: 3, sequence: 7 } } as const],
    ['that it is alive', { type: 'heartbeat' } as const],
  ])('come back: %s', (_what, said) => {
    const original = { source: SOURCE, version: VERSION, time: TIME, content: said };
    expect(decodeBatch(`[${encodeEvent(original)}]`).events).toEqual([original]);
  });

  it('name the source and, without it, the object', () => {
    expect(parseJson(encodeEvent(told('jobs', JOB)))).toMatchObject({
      source: '/fleet/upstream1',
      type: 'dev.starfold.object.changed.v1',
      subject: 'batch/jobs/fleet-default/shop-1a2b3',
    });
  });

  it('may speak of the object with the longest names that there are', () => {
    const longest = { namespace: 'n'.repeat(63), name: `${'a.'.repeat(126)}b` };
    const object = { ...DEPLOYMENT, metadata: { ...longest, labels: {} } };
    const event = told('bundledeployments', object);
    const original = { ...event, source: { ...SOURCE, name: 'u'.repeat(253) } };
    expect(decodeBatch(`[${encodeEvent(original)}]`)).toMatchObject({ events: [original] });
  });

  it.each(Object.values(FLEET_LABELS))('may have any value in %s that a label may have', (one) => {
    for (const value of ['', 'a', 'A_b.c-0', 'x'.repeat(63)])
      expect(decodeBatch(labelled(one, value)).errors).toEqual([]);
  });

  it('may have a UID of 128 characters', () => {
    expect(decodeBatch(withUid('u'.repeat(128))).errors).toEqual([]);
  });

  it('may have a Job of 64 KiB, and anything else that is larger', () => {
    const large = { ...DEPLOYMENT, status: { message: 'x'.repeat(2 * MAX_JOB_BYTES) } };
    for (const event of [told('jobs', jobOf(MAX_JOB_BYTES)), told('bundledeployments', large)])
      expect(decodeBatch(encodeBatch([encodeEvent(event)]))).toMatchObject({
        errors: [],
        refused: 0,
      });
  });
});

describe('an event of a management cluster of Fleet that cannot be used', () => {
  const of = (subject: string): string =>
    changed((event) => {
      event['subject'] = subject;
    });
  const withData = (data: object): string =>
    changed((event) => {
      event['data'] = { first: true, object: DEPLOYMENT, ...data };
    });

  it.each([
    ['a resource of Fleet that nobody asks for', of('fleet.cattle.io/contents/n/a'), 'subject'],
    ['a Job of another group', of('fleet.cattle.io/jobs/n/a'), 'subject'],
    ['a Bundle of another group', of('batch/bundles/n/a'), 'subject'],
    ['another resource of the group batch', of('batch/cronjobs/n/a'), 'subject'],
    ['a workload', of('apps/deployments/n/a'), 'subject'],
    ['a property of every object', of('fleet.cattle.io/constructor/n/a'), 'subject'],
    ['no namespace', of('fleet.cattle.io/bundles//a'), 'subject'],
    ['a name that no object of Fleet has', of('fleet.cattle.io/bundles/n/a#b'), 'subject'],
    ['a name in capitals', of('batch/jobs/n/Job'), 'subject'],
    ['the source in its subject', of('upstream1/fleet.cattle.io/bundles/n/a'), 'subject'],
    ['no object', withData({ object: [] }), 'data.object'],
    ['an owned hash that is none', withData({ facet: 5 }), 'data.facet'],
    ['an owned hash without end', withData({ facet: 'a'.repeat(65) }), 'data.facet'],
    [
      'an object of another name',
      of(`fleet.cattle.io/bundledeployments/${'n'}/shop`),
      'data.object.metadata.namespace',
    ],
    ['a label that is none', labelled(FLEET_LABELS.cluster, 'a#b'), 'data.object.metadata.labels'],
    [
      'a label that is too long',
      labelled(FLEET_LABELS.repo, 'a'.repeat(64)),
      'data.object.metadata.labels',
    ],
    ['a UID that is too long', withUid('u'.repeat(129)), 'data.object.metadata.uid'],
    ['half a character in a UID', withUid('u\udfff'), 'data.object.metadata.uid'],
    ['half a character in a facet', withData({ facet: '\ud800' }), 'data.facet'],
    ['a UID that is none', withUid({ a: 'b' }), 'data.object.metadata.uid'],
    [
      'a Job that is too large',
      `[${encodeEvent(told('jobs', jobOf(MAX_JOB_BYTES + 1)))}]`,
      'data.object',
    ],
    ['an owner that is none', owned('a|b'), 'data.object.metadata.ownerReferences'],
    ['an owner with a "/"', owned('a/b'), 'data.object.metadata.ownerReferences'],
  ])('with %s is reported with the field and what it must be', (_case, body, field) => {
    const { events, errors } = decodeBatch(body);
    expect(events).toEqual([]);
    expect(errors).toMatchObject([
      { index: 0, id: '3.12', field, message: expect.stringMatching(/^event 3\.12: .+: .*must/) },
    ]);
  });

  it('is told which resources there are', () => {
    expect(decodeBatch(of('fleet.cattle.io/contents/n/a')).errors[0]?.message).toContain(
      noFleetResource([
        ...['bundledeployments.fleet.cattle.io', 'bundles.fleet.cattle.io'],
        ...['clusters.fleet.cattle.io', 'clustergroups.fleet.cattle.io'],
        ...['gitrepos.fleet.cattle.io', 'helmops.fleet.cattle.io', 'jobs.batch'],
      ]),
    );
  });

  it('is told how large a Job may be, and what to make shorter', () => {
    const [error] = decodeBatch(`[${encodeEvent(told('jobs', jobOf(MAX_JOB_BYTES + 1)))}]`).errors;
    expect(error?.message).toContain(largeJob(MAX_JOB_BYTES));
  });
});
