import { agentLastSeen } from '#shared/core/fleet/cluster-contact.ts';
import { deploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { gitRepoOf } from '#shared/core/fleet/git-job.ts';
import { AGGREGATED_RESOURCES, NO_CLUSTER, namespacedName } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import { contactItem, contactKey } from '#shared/state/fleet/contacts.ts';
import { DEPLOYMENT_ROW } from '#shared/state/fleet/contents.ts';
import {
  fleetRowBytes,
  fleetRowKey,
  fleetSubject,
  jobKey,
  jobsKey,
  parseRowKey,
  rowNameText,
} from '#shared/state/fleet/fleet-rows.ts';
import {
  type PlacedRef,
  type PlacedRow,
  placedKey,
  placeRows,
} from '#shared/state/fleet/placed-object.ts';
import { reportedKey, SORT, versionText } from '#shared/state/keys.ts';
import { ABSENT, OWN_OBJECT } from '#shared/state/owned-hashes.ts';
import type { FollowUps, ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { recordOwnedObject } from './owned-object.ts';
import { readSnapshotVersion } from './tombstones.ts';

type FleetContent = Extract<ReceivedEvent['content'], { type: 'fleet-object' }>;

/** The largest row, in bytes: an item holds 400 KB. */
const MAX_ROW_BYTES = 380 * 1024;

/** The rows of a BundleDeployment: below its Bundle, and, without its resources, below its Cluster. */
function deploymentRows({ upstream, ...ref }: PlacedRef, object: JsonObject): readonly PlacedRow[] {
  const row = deploymentRow(object);
  const own = namespacedName(ref.namespace, ref.name);
  const bundle = fleetSubject(upstream, 'bundles', row.bundle);
  const cluster = fleetSubject(upstream, 'clusters', row.cluster);
  const id = row.cluster || NO_CLUSTER;
  const whole = DEPLOYMENT_ROW.encode(row);
  const alone = DEPLOYMENT_ROW.encode({ ...row, resources: [] });
  const isTooLarge = fleetRowBytes(whole) > MAX_ROW_BYTES;
  const cut = DEPLOYMENT_ROW.encode({ ...row, resources: [], incomplete: true });
  return [
    ...(bundle === undefined
      ? []
      : [
          {
            key: fleetRowKey(bundle, { family: 'CLUSTER', id }, own),
            body: isTooLarge ? cut : whole,
          },
        ]),
    ...(cluster === undefined
      ? []
      : [{ key: fleetRowKey(cluster, { family: 'BUNDLE', id: row.bundle }, own), body: alone }]),
  ];
}

/** The fields at the top of a Job. */
const JOB_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'] as const;

function jobRows({ upstream, name }: PlacedRef, object: JsonObject): readonly PlacedRow[] {
  const gitRepo = fleetSubject(upstream, 'gitrepos', gitRepoOf(object));
  // The body of an item has one more field: its version.
  const body = Object.fromEntries(
    JOB_FIELDS.flatMap((field) => {
      const value = object[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  return gitRepo === undefined ? [] : [{ key: jobKey(gitRepo, name), body }];
}

function rowsOf(ref: PlacedRef, object: JsonObject | undefined): readonly PlacedRow[] {
  if (object === undefined) return [];
  return ref.resource === 'jobs' ? jobRows(ref, object) : deploymentRows(ref, object);
}

/**
 * Records an event of an object that has rows below others. An event that is older than the last complete listing of its source
 * means that the object was deleted. The snapshot version is read after the rows were put, as for rows of WECs.
 */
async function recordPlaced(
  deps: RecordDeps,
  event: ReceivedEvent,
  what: {
    readonly ref: PlacedRef;
    readonly content: FleetContent;
    readonly followUps: FollowUps;
  },
): Promise<void> {
  const { ref, content, followUps } = what;
  const { source } = event;
  const key = placedKey(ref);
  const version = versionText(event.version);
  const nowMs = deps.clock();
  const index = async (): Promise<void> => {
    const item = { ...reportedKey(source, key), version };
    await deps.store.put([{ item, condition: { type: 'newer' } }]);
  };
  if (content.first) await index();
  const first = content.first ? {} : { beforeFirst: index };
  const rows = rowsOf(ref, content.object);
  if (ref.resource === 'jobs' && rows.length > 0)
    await deps.store.put(
      rows.map((row) => ({ item: jobsKey(row.key.pk), condition: { type: 'absent' } })),
    );
  const placed = await placeRows(deps.store, { key, version, rows, ...first }, nowMs);
  const snapshotVersion = await readSnapshotVersion(deps, source);
  const gone = { key, version: snapshotVersion, rows: [] };
  const outdated = version < snapshotVersion ? await placeRows(deps.store, gone, nowMs) : [];
  for (const rowKey of [...placed, ...outdated]) {
    const { subject, row } = parseRowKey(rowKey);
    const at = outdated.length > 0 ? `${version} outdated ${snapshotVersion}` : version;
    followUps.add(subject, {
      cause: `${key.pk}@${at}`,
      ...(row === undefined ? {} : { row: rowNameText(row) }),
      ...earliestChange([event]),
    });
  }
}

/**
 * Stores when the agent of a Cluster last reported, in a separate item: the time changes all the time, and other subjects only
 * need to know whether it is too long ago. An event that is older than the last complete listing stores no time, as in
 * {@link recordPlaced}.
 */
async function recordContact(
  deps: RecordDeps,
  event: ReceivedEvent,
  { subject, object }: { readonly subject: FleetSubject; readonly object: JsonObject | undefined },
): Promise<void> {
  const { upstream, namespace, name } = subject;
  const key = contactKey(upstream, namespacedName(namespace, name));
  const version = versionText(event.version);
  const put = async (at: string, lastSeen: string | undefined): Promise<void> => {
    const item = contactItem(key, { version: at, lastSeen, nowMs: deps.clock() });
    await deps.store.put([{ item, condition: { type: 'newer' } }]);
  };
  await put(version, object && agentLastSeen(object));
  const snapshotVersion = await readSnapshotVersion(deps, event.source);
  if (version < snapshotVersion) await put(snapshotVersion, undefined);
}

/** The part of an object that is stored. */
function contentOf(
  { resource }: FleetSubject,
  object: JsonObject | undefined,
): JsonObject | undefined {
  if (resource !== 'clusters' || object === undefined) return object;
  return { ...object, status: { reports: agentLastSeen(object) !== '' } };
}

/**
 * Records one event from a management cluster of Fleet. A BundleDeployment or Job has rows below others. Any other object is an
 * input, and also an echo, because it has the status that Starfold writes.
 */
export async function recordFleetEvent(
  deps: RecordDeps,
  event: ReceivedEvent,
  followUps: FollowUps,
): Promise<void> {
  const { content, source } = event;
  if (content.type !== 'fleet-object') return;
  const { first, object, ownedHash } = content;
  const { resource, namespace, name } = content.subject;
  const upstream = source.name;
  const aggregated = AGGREGATED_RESOURCES.find((one) => one === resource);
  if (aggregated === undefined) {
    const placed = resource === 'jobs' ? 'jobs' : 'bundledeployments';
    const ref: PlacedRef = { upstream, resource: placed, namespace, name };
    return recordPlaced(deps, event, { ref, content, followUps });
  }
  const subject: FleetSubject = { type: 'fleet', upstream, resource: aggregated, namespace, name };
  if (aggregated === 'clusters') await recordContact(deps, event, { subject, object });
  await recordOwnedObject(deps, event, {
    ownedObject: {
      subject,
      input: SORT.object,
      content: contentOf(subject, object),
      first,
      isWalked: true,
      ownedName: OWN_OBJECT,
      observed: () => (object === undefined ? ABSENT : (ownedHash ?? '')),
      object: { namespace, name },
    },
    followUps,
  });
}
