import { isSilent, SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Heartbeat, heartbeatKey, readHeartbeats } from '#shared/state/heartbeats.ts';
import {
  EVERY_WEC,
  isEveryWec,
  listSenders,
  type SenderRegistration,
  sourceText,
} from '#shared/state/senders.ts';
import { readSilence, type Silence } from '#shared/state/silence.ts';
import { counted, shellWord, spanText } from './deployment/lines.ts';
import { type Finding, ok, problem, warning } from './doctor-finding.ts';

/** The sweep runs every minute; so much later it is late. */
const SWEEP_GRACE_MS = 3 * 60_000;

/** What is known of the WECs. */
interface Known {
  readonly registered: ReadonlySet<string>;
  readonly silence: ReadonlyMap<string, Silence>;
  readonly nowMs: number;
}

function checkSpeaker({ wec, heardMs }: Heartbeat, known: Known): readonly Finding[] {
  const { registered, silence, nowMs } = known;
  const source = `wec/${wec}`;
  const word = shellWord(source, 'wec/NAME');
  const since = spanText(nowMs - heardMs);
  const findings: Finding[] = [];
  if (!registered.has(source) && !registered.has(sourceText(EVERY_WEC)))
    findings.push(
      warning(
        'sources',
        `${source} has spoken (${since} ago) and is not registered: what it says now is refused`,
        `starfold register ${word}, or starfold unregister ${word} to remove it for good`,
      ),
    );
  if (isSilent(heardMs, nowMs, SILENCE_LIMIT_MS))
    findings.push(
      problem(
        'sources',
        `${source} is silent for ${since}: its results are stale`,
        `see whether its forwarder runs and reaches its cluster and SQS; if it has left: starfold unregister ${word}`,
      ),
    );
  const isNoted = silence.get(wec)?.silent === true;
  if (!isNoted && isSilent(heardMs, nowMs, SILENCE_LIMIT_MS + SWEEP_GRACE_MS))
    findings.push(
      problem(
        'sources',
        `sweep-stale has not noted that ${source} is silent`,
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

/** Who may speak for every WEC is no source of its own: silent as a whole it is only when no WEC has ever spoken. */
function everyWecFindings(heartbeats: readonly Heartbeat[]): readonly Finding[] {
  if (heartbeats.length > 0) return [];
  return [
    warning(
      'sources',
      'wec/* is registered and no WEC has ever spoken',
      "see whether the forwarder of the ITS runs, and as the registered principal; else: starfold unregister 'wec/*' --principal ID (starfold register --list shows it)",
    ),
  ];
}

/** What is said of sources with which nothing is wrong. */
function wellText(registered: ReadonlySet<string>, heartbeats: readonly Heartbeat[]): string {
  const every = sourceText(EVERY_WEC);
  if (!registered.has(every))
    return `${counted(registered.size, 'source')} registered, each speaks`;
  const through = heartbeats.filter(({ wec }) => !registered.has(`wec/${wec}`)).length;
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

/** Which sources are silent, have never spoken, or may not speak. */
export async function checkSources(store: ItemStore, nowMs: number): Promise<readonly Finding[]> {
  const all = await registeredSources(store);
  const registrations = all.filter(({ source }) => !isEveryWec(source));
  const heartbeats = await readHeartbeats(store);
  const silence = await readSilence(store);
  const spoken = await store.get(registrations.map(({ source }) => heartbeatKey(source)));
  const silent = registrations.filter((_registration, index) => spoken[index] === undefined);
  const registered = new Set(all.map(({ source }) => sourceText(source)));
  const findings = [
    ...heartbeats.flatMap((heartbeat) => checkSpeaker(heartbeat, { registered, silence, nowMs })),
    ...silent.map(neverSpoken),
    ...(registrations.length < all.length ? everyWecFindings(heartbeats) : []),
  ];
  if (registered.size === 0)
    return [
      ...findings,
      warning(
        'sources',
        'nobody is registered: no event is recorded',
        'starfold register wec/NAME --role ARN, and wds/NAME, for each forwarder',
      ),
    ];
  if (findings.length > 0) return findings;
  return [ok('sources', wellText(registered, heartbeats))];
}
