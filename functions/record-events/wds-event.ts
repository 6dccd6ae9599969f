import { ownerPolicyUid, parseBinding } from '#shared/core/binding/binding.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { at, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { earliestChange } from '#shared/messages/dirty.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { decodeBody } from '#shared/state/body.ts';
import {
  ABSENT,
  combinedStatusFacet,
  facetOf,
  labelsFacetOf,
  OWN_FACET,
  POLICY_FACET,
  workloadContent,
} from '#shared/state/facets.ts';
import { readHeadAndApplied } from '#shared/state/head.ts';
import {
  ownerKey,
  SORT,
  type Subject,
  seenKey,
  sourcePartition,
  subjectPartition,
  versionText,
} from '#shared/state/keys.ts';
import { type ObservedOutcome, writeObserved } from '#shared/state/observed.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';
import type { Consequences, ReceivedEvent, RecordDeps } from './consequences.ts';
import { labelledSubject, strayCombinedStatus } from './labelled-subject.ts';

const CONTROL_GROUP = 'control.kubestellar.io';

/** What an event from the WDS concerns: whose input it is, and which written object it echoes. */
interface Concern {
  readonly subject: Subject;
  /** Sort key of the observed item below the subject; absent: the object is output alone. */
  readonly input?: string;
  /** Name of the facet that the object shows. */
  readonly facet: string;
  /** The content to keep of an input. */
  readonly content: (object: JsonObject) => JsonValue;
}

function withoutStatus(object: JsonObject): JsonValue {
  return workloadContent(object);
}

/** A Binding's content: no resourceVersions, which change with every status write (KubeStellar rewrites them). */
function bindingContent(object: JsonObject): JsonValue {
  const { destinations, objects, errors } = parseBinding(object);
  const metadata = member(object, 'metadata');
  return {
    uid: member(metadata, 'uid') ?? '',
    policyUid: ownerPolicyUid(object) ?? '',
    destinations,
    // A bound object is JSON: strings, booleans and lists of strings.
    objects: objects.map((bound) => ({ ...bound, modulation: { ...bound.modulation } })),
    errors,
  };
}

/** A BindingPolicy's content: what its status tells, and what a Binding that is not there yet would name. */
function policyContent(object: JsonObject): JsonValue {
  const { uid, errors, clauses } = parseBindingPolicy(object);
  const collectors = clauses.flatMap(({ modulation }) => modulation.statusCollectors);
  return {
    uid,
    errors,
    statusCollectors: [...new Set(collectors)].sort(),
    ...(isDeleting(object) ? { deleting: true } : {}),
  };
}

function collectorContent(object: JsonObject): JsonValue {
  return {
    generation: at(object, 'metadata', 'generation') ?? 0,
    spec: member(object, 'spec') ?? {},
  };
}

function concernOf(event: ReceivedEvent): Concern | undefined {
  const { content, source } = event;
  if (content.type !== 'wds-object') return undefined;
  const { group, resource, namespace, name } = content.subject;
  const wds = source.name;
  if (group !== CONTROL_GROUP)
    return {
      subject: { type: 'workload', workload: { wds, group, resource, namespace, name } },
      input: SORT.object,
      facet: OWN_FACET,
      content: withoutStatus,
    };
  const binding: Subject = { type: 'binding', wds, name };
  switch (resource) {
    case 'bindings':
      return { subject: binding, input: SORT.spec, facet: OWN_FACET, content: bindingContent };
    case 'bindingpolicies':
      return { subject: binding, input: SORT.policy, facet: POLICY_FACET, content: policyContent };
    case 'statuscollectors':
      return {
        subject: { type: 'collector', wds, name },
        input: SORT.spec,
        facet: OWN_FACET,
        content: collectorContent,
      };
    default:
      return undefined;
  }
}

async function combinedStatusConcern(
  deps: RecordDeps,
  event: ReceivedEvent,
): Promise<Concern | undefined> {
  const { content, source } = event;
  if (content.type !== 'wds-object' || content.subject.resource !== 'combinedstatuses')
    return undefined;
  const { namespace, name } = content.subject;
  const [owner] = await deps.store.get([ownerKey(source.name, namespace, name)]);
  const subject =
    owner === undefined
      ? (labelledSubject(source.name, content.object) ??
        strayCombinedStatus({ wds: source.name, namespace, name }))
      : decodeBody<Subject>(owner);
  return { subject, facet: combinedStatusFacet(namespace, name), content: withoutStatus };
}

/**
 * Stores what an event says of an input; what is older than the last complete listing of the source says that it is
 * gone. (The floor is read after the input was written, as for rows.)
 */
async function writeInput(
  deps: RecordDeps,
  event: ReceivedEvent,
  statement: { readonly key: ItemKey; readonly content: JsonValue | undefined },
): Promise<ObservedOutcome> {
  const version = versionText(event.version);
  const expiresAt = tombstoneExpiry(deps.clock());
  const write = (at: string, content: JsonValue | undefined): Promise<ObservedOutcome> =>
    writeObserved(deps.store, {
      key: statement.key,
      version: at,
      content,
      ...(content === undefined ? { expiresAt } : {}),
    });
  const outcome = await write(version, statement.content);
  const [snapshot] = await deps.store.get([
    { pk: sourcePartition(event.source), sk: SORT.snapshot },
  ]);
  const floor = snapshot?.version ?? '';
  return version < floor ? write(floor, undefined) : outcome;
}

/** Stores the input that an event brings; the content version that an aggregation has to look at, if it has to. */
async function recordInput(
  deps: RecordDeps,
  event: ReceivedEvent,
  concern: Concern,
): Promise<string | undefined> {
  const { content, source, version } = event;
  if (content.type !== 'wds-object' || concern.input === undefined) return undefined;
  const key = { pk: subjectPartition(concern.subject), sk: concern.input };
  if (content.first)
    await deps.store.put([
      {
        item: { ...seenKey(source, key), version: versionText(version) },
        condition: { type: 'newer' },
      },
    ]);
  const outcome = await writeInput(deps, event, {
    key,
    content: content.object === undefined ? undefined : concern.content(content.object),
  });
  if (outcome.type === 'older') return undefined;
  const { head } = await readHeadAndApplied(deps.store, key.pk);
  const { contentVersion } = outcome;
  return (head.seen[key.sk] ?? '') < contentVersion ? contentVersion : undefined;
}

/**
 * Something that does not stand as it should, and who has to look first: the aggregator where it is not known what
 * should stand. `at`: the revisions that were compared; when the event is told again and they are others, so is the
 * message.
 */
interface Amiss {
  readonly by: 'writer' | 'aggregator';
  readonly at: string;
}

/**
 * The echo (design, section 5, "The protocol", rule 4): what the WDS shows is not what was last applied, or what was
 * applied is not what is wanted, so the writer has to look.
 */
async function whatIsAmiss(
  deps: RecordDeps,
  event: ReceivedEvent,
  concern: Concern,
): Promise<Amiss | undefined> {
  const { content } = event;
  if (content.type !== 'wds-object') return undefined;
  const { head, applied } = await readHeadAndApplied(deps.store, subjectPartition(concern.subject));
  const known = applied.facets[concern.facet];
  const facet = known?.labelsOnly === true ? labelsFacetOf : facetOf;
  const seen = content.object === undefined ? ABSENT : facet(content.object);
  // Nothing was ever wanted and nothing written: a foreign object, unless it is a stray CombinedStatus.
  if (head.hash === undefined)
    return concern.input === undefined && content.object !== undefined
      ? { by: 'aggregator', at: '' }
      : undefined;
  const isAmiss = applied.hash !== head.hash || (known?.seen ?? ABSENT) !== seen;
  return isAmiss ? { by: 'writer', at: `${head.revision}.${applied.revision}` } : undefined;
}

/**
 * Records one event from a WDS: an input is stored and its subject told if its content is new to it; an echo of what
 * Starfold owns is compared with what was applied, and a hint sent when they differ.
 */
export async function recordWdsEvent(
  deps: RecordDeps,
  event: ReceivedEvent,
  consequences: Consequences,
): Promise<void> {
  const { content } = event;
  if (content.type !== 'wds-object') return;
  const concern = concernOf(event) ?? (await combinedStatusConcern(deps, event));
  if (concern === undefined) return;
  const { namespace, name } = content.subject;
  const cause = `${event.source.name}@${versionText(event.version)}`;
  const told = await recordInput(deps, event, concern);
  const change = earliestChange([event]);
  if (told !== undefined)
    consequences.add(concern.subject, { cause: `${cause} ${told}`, ...change });
  const amiss = await whatIsAmiss(deps, event, concern);
  if (amiss === undefined) return;
  const { subject } = concern;
  const objects = concern.input === undefined ? [{ namespace, name }] : [];
  if (amiss.by === 'writer')
    consequences.amiss(subject, { objects, cause: `echo ${cause} ${amiss.at}`, ...change });
  else consequences.strays(subject, { objects, cause: `stray ${cause}`, ...change });
}
