import { counted, shellWord, spanText } from '#local/cli/deployment/lines.ts';
import { type EventSource, SOURCE_TYPES } from '#shared/core/event.ts';
import { isSilent, SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatKey, readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { SORT } from '#shared/state/keys.ts';
import { type ObjectCount, objectCounts } from '#shared/state/quota.ts';
import {
  EVERY_WEC,
  isEveryWec,
  listSenders,
  type SenderRegistration,
} from '#shared/state/senders.ts';
import { readSilence, type Silence } from '#shared/state/silence.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The sweep runs every minute. After this time, it is late. */
const SWEEP_GRACE_MS = 3 * 60_000;

/** What is known about the sources. */
interface Known {
  readonly registered: ReadonlySet<string>;
  /** The silences of the WECs. */
  readonly silence: ReadonlyMap<string, Silence>;
  readonly nowMs: number;
}

/** A source that has sent events. */
interface Speaker {
  readonly source: EventSource;
  readonly heardMs: number;
  /** Whether the end of a listing of it has been recorded in this state. */
  readonly isListed: boolean;
  readonly count: ObjectCount;
}

function isRegistered({ source }: Speaker, { registered }: Known): boolean {
  const ofEvery = source.type === 'wec' && registered.has(sourceText(EVERY_WEC));
  return ofEvery || registered.has(sourceText(source));
}

/** Whether the sweep should have recorded the silence of a WEC by now, and has not. */
function isOverlooked({ source, heardMs }: Speaker, { silence, nowMs }: Known): boolean {
  const isNoted = source.type !== 'wec' || silence.get(source.name)?.silent === true;
  return !isNoted && isSilent(heardMs, nowMs, SILENCE_LIMIT_MS + SWEEP_GRACE_MS);
}

/** Present content is kept until every source has reported all of its objects: docs/adr/0016. */
function checkListing({ source, isListed }: Speaker): readonly Finding[] {
  if (isListed) return [];
  const text = sourceText(source);
  return [
    warning(
      'sources',
      `${text} speaks and has not told everything since this state began: statuses that may follow from it stay as they are`,
      `wait until its forwarder has listed its cluster, else see its log and restart it; if it has left: starfold unregister ${shellWord(text, `${source.type}/NAME`)}`,
    ),
  ];
}

function checkQuota({ source, count }: Speaker): readonly Finding[] {
  const { objects, full } = count;
  if (full === undefined) return [];
  return [
    problem(
      'sources',
      `${sourceText(source)} has reached its quota of ${full} objects (it is counted with ${objects}): nothing is recorded of new ones`,
      'have its forwarder select fewer objects, or raise objectsPerWec in infra/settings.yml and deploy; its next snapshot, or a restart of it, brings what was left out',
    ),
  ];
}

function checkSpeaker(speaker: Speaker, known: Known): readonly Finding[] {
  const { source, heardMs } = speaker;
  const { nowMs } = known;
  const text = sourceText(source);
  const word = shellWord(text, `${source.type}/NAME`);
  const since = spanText(nowMs - heardMs);
  const effect =
    source.type === 'wec' ? 'its results are stale' : 'what changes there is not noticed';
  const findings: Finding[] = [...checkQuota(speaker)];
  if (!isRegistered(speaker, known))
    findings.push(
      warning(
        'sources',
        `${text} has spoken (${since} ago) and is not registered: what it says now is refused`,
        `starfold register ${word}, or starfold unregister ${word} to remove it for good`,
      ),
    );
  if (!isSilent(heardMs, nowMs, SILENCE_LIMIT_MS)) findings.push(...checkListing(speaker));
  else
    findings.push(
      problem(
        'sources',
        `${text} is silent for ${since}: ${effect}`,
        `see whether its forwarder runs and reaches its cluster and SQS; if it has left: starfold unregister ${word}`,
      ),
    );
  if (isOverlooked(speaker, known))
    findings.push(
      problem(
        'sources',
        `sweep-stale has not noted that ${text} is silent`,
        'see whether its schedule is enabled, and its log',
      ),
    );
  return findings;
}

function neverSpoken({ source }: SenderRegistration): Finding {
  const text = sourceText(source);
  return warning(
    'sources',
    `${text} is registered and has never spoken`,
    `see whether its forwarder runs, under this name and as the registered principal; else: starfold unregister ${shellWord(text, `${source.type}/NAME`)}`,
  );
}

/** A sender for every WEC is not a source itself. It is silent as a whole only if no WEC has ever sent events. */
function everyWecFindings(wecs: readonly Speaker[]): readonly Finding[] {
  if (wecs.length > 0) return [];
  return [
    warning(
      'sources',
      'wec/* is registered and no WEC has ever spoken',
      "see whether the forwarder of the ITS runs, and as the registered principal; else: starfold unregister 'wec/*' --principal ID (starfold register --list shows it)",
    ),
  ];
}

/** The text about sources without problems. */
function wellText(registered: ReadonlySet<string>, wecs: readonly Speaker[]): string {
  const every = sourceText(EVERY_WEC);
  if (!registered.has(every))
    return `${counted(registered.size, 'source')} registered, each speaks`;
  const through = wecs.filter(({ source }) => !registered.has(sourceText(source))).length;
  const single = registered.size - 1;
  const speaking = `${counted(through, 'WEC')} not registered by name ${through === 1 ? 'speaks' : 'speak'}`;
  return single === 0
    ? `${every} is registered, and ${speaking}`
    : `${counted(single, 'source')} registered, each speaks; ${every} is registered too, and ${speaking}`;
}

/** The registrations, one for each source. */
async function registeredSources(store: ItemStore): Promise<readonly SenderRegistration[]> {
  const sources = new Map<string, SenderRegistration>();
  for await (const page of listSenders(store))
    for (const registration of page) sources.set(sourceText(registration.source), registration);
  return [...sources.values()];
}

/** The sources that have sent events, sorted by name within each type. */
async function readSpeakers(store: ItemStore): Promise<readonly Speaker[]> {
  const speakers: Speaker[] = [];
  for (const type of SOURCE_TYPES) {
    const heard = await readSourceHeartbeats(store, type);
    const snapshots = await store.get(
      heard.map(({ name }) => ({ pk: sourcePartition({ type, name }), sk: SORT.snapshot })),
    );
    const counts = await objectCounts(
      store,
      heard.map(({ name }) => ({ type, name })),
    );
    for (const [index, { name, heardMs }] of heard.entries())
      speakers.push({
        source: { type, name },
        heardMs,
        isListed: snapshots[index] !== undefined,
        count: counts[index] ?? { objects: 0 },
      });
  }
  return speakers;
}

/**
 * Which sources are silent, have never sent events, have not reported all objects, have too many objects, or are not
 * registered.
 */
export async function checkSources(store: ItemStore, nowMs: number): Promise<readonly Finding[]> {
  const all = await registeredSources(store);
  const registrations = all.filter(({ source }) => !isEveryWec(source));
  const speakers = await readSpeakers(store);
  const wecs = speakers.filter(({ source }) => source.type === 'wec');
  const silence = await readSilence(store);
  const spoken = await store.get(registrations.map(({ source }) => heartbeatKey(source)));
  const silent = registrations.filter((_registration, index) => spoken[index] === undefined);
  const registered = new Set(all.map(({ source }) => sourceText(source)));
  const findings = [
    ...speakers.flatMap((speaker) => checkSpeaker(speaker, { registered, silence, nowMs })),
    ...silent.map(neverSpoken),
    ...(registrations.length < all.length ? everyWecFindings(wecs) : []),
  ];
  if (registered.size === 0)
    return [
      ...findings,
      warning(
        'sources',
        'nobody is registered: no event is recorded',
        'starfold register wec/NAME --role ARN, and wds/NAME or fleet/NAME, for each forwarder',
      ),
    ];
  if (findings.length > 0) return findings;
  return [ok('sources', wellText(registered, wecs))];
}
