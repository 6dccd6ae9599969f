import { spanText } from '#local/cli/deployment/lines.ts';
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
import {
  NO_WEC_REPORTED,
  NOBODY_REGISTERED,
  neverReported,
  notListed,
  notRegistered,
  quotaReached,
  silenceNotRecorded,
  silentSource,
  sourcesReport,
} from './messages.ts';

/** The sweep runs every minute. After this time, it is late. */
const SWEEP_GRACE_MS = 3 * 60_000;

/** What is known about the sources. */
interface SourceRecords {
  readonly registered: ReadonlySet<string>;
  /** The silences of the WECs. */
  readonly silence: ReadonlyMap<string, Silence>;
  readonly nowMs: number;
}

/** A source that has sent events. */
interface Reporter {
  readonly source: EventSource;
  readonly heardMs: number;
  /** Whether the end of a listing of it has been recorded in this state. */
  readonly isListed: boolean;
  readonly count: ObjectCount;
}

function isRegistered({ source }: Reporter, { registered }: SourceRecords): boolean {
  const ofEvery = source.type === 'wec' && registered.has(sourceText(EVERY_WEC));
  return ofEvery || registered.has(sourceText(source));
}

/** Whether the sweep should have recorded the silence of a WEC by now, and has not. */
function isOverlooked({ source, heardMs }: Reporter, { silence, nowMs }: SourceRecords): boolean {
  const isNoted = source.type !== 'wec' || silence.get(source.name)?.silent === true;
  return !isNoted && isSilent(heardMs, nowMs, SILENCE_LIMIT_MS + SWEEP_GRACE_MS);
}

function checkQuota({ source, count }: Reporter): readonly Finding[] {
  const { objects, full } = count;
  return full === undefined ? [] : [problem('sources', quotaReached(source, full, objects))];
}

function checkReporter(reporter: Reporter, records: SourceRecords): readonly Finding[] {
  const { source, heardMs, isListed } = reporter;
  const { nowMs } = records;
  const since = spanText(nowMs - heardMs);
  const findings: Finding[] = [...checkQuota(reporter)];
  if (!isRegistered(reporter, records))
    findings.push(warning('sources', notRegistered(source, since)));
  if (isSilent(heardMs, nowMs, SILENCE_LIMIT_MS))
    findings.push(problem('sources', silentSource(source, since)));
  // Present content is kept until every source has reported all of its objects: docs/adr/0016.
  else if (!isListed) findings.push(warning('sources', notListed(source)));
  if (isOverlooked(reporter, records))
    findings.push(problem('sources', silenceNotRecorded(source)));
  return findings;
}

/** A sender for every WEC is not a source itself. It is silent as a whole only if no WEC has ever sent events. */
function everyWecFindings(wecs: readonly Reporter[]): readonly Finding[] {
  return wecs.length > 0 ? [] : [warning('sources', NO_WEC_REPORTED)];
}

/** The text about sources without problems. */
function wellText(registered: ReadonlySet<string>, wecs: readonly Reporter[]): string {
  if (!registered.has(sourceText(EVERY_WEC))) return sourcesReport(registered.size);
  const unnamed = wecs.filter(({ source }) => !registered.has(sourceText(source)));
  return sourcesReport(registered.size - 1, unnamed.length);
}

/** The registrations, one for each source. */
async function registeredSources(store: ItemStore): Promise<readonly SenderRegistration[]> {
  const sources = new Map<string, SenderRegistration>();
  for await (const page of listSenders(store))
    for (const registration of page) sources.set(sourceText(registration.source), registration);
  return [...sources.values()];
}

/** The sources that have sent events, sorted by name within each type. */
async function readReporters(store: ItemStore): Promise<readonly Reporter[]> {
  const reporters: Reporter[] = [];
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
      reporters.push({
        source: { type, name },
        heardMs,
        isListed: snapshots[index] !== undefined,
        count: counts[index] ?? { objects: 0 },
      });
  }
  return reporters;
}

/**
 * Which sources are silent, have never sent events, have not reported all objects, have too many objects, or are not
 * registered.
 */
export async function checkSources(store: ItemStore, nowMs: number): Promise<readonly Finding[]> {
  const all = await registeredSources(store);
  const registrations = all.filter(({ source }) => !isEveryWec(source));
  const reporters = await readReporters(store);
  const wecs = reporters.filter(({ source }) => source.type === 'wec');
  const silence = await readSilence(store);
  const heartbeats = await store.get(registrations.map(({ source }) => heartbeatKey(source)));
  const silent = registrations.filter((_registration, index) => heartbeats[index] === undefined);
  const registered = new Set(all.map(({ source }) => sourceText(source)));
  const findings = [
    ...reporters.flatMap((reporter) => checkReporter(reporter, { registered, silence, nowMs })),
    ...silent.map(({ source }) => warning('sources', neverReported(source))),
    ...(registrations.length < all.length ? everyWecFindings(wecs) : []),
  ];
  if (registered.size === 0) return [...findings, warning('sources', NOBODY_REGISTERED)];
  if (findings.length > 0) return findings;
  return [ok('sources', wellText(registered, wecs))];
}
