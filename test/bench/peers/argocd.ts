import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { do_not_optimize } from 'mitata';
import { compareText } from '#shared/core/collector/first-entries.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { isNumber, type JsonObject, member, parseJson, textAt } from '#shared/core/json.ts';
import { differenceOf } from '#test/argocd/judge/differences.ts';
import { judgeFolder, startJudge } from '#test/argocd/judge/judge.ts';
import { recordedObjects } from '#test/property/status/recordings.ts';
import { type Figure, rounded } from '../figure.ts';
import { compiledNanoseconds, type Peer, PeerMissing, requireSame } from './peer.ts';

const run = promisify(execFile);
const NANOSECONDS_PER_MICROSECOND = 1_000;

/**
 * How long Argo CD's engine takes for one of these objects, in microseconds: the median, without its JSON and its start.
 *
 * @param folder with argocd-judge
 */
export async function timeArgoCd(folder: string, objects: readonly JsonObject[]): Promise<number> {
  const asked = run(join(folder, 'argocd-judge'), ['--time']);
  asked.child.stdin?.end(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  const took = member(parseJson((await asked).stdout), 'nanoseconds');
  if (!isNumber(took)) throw new Error('argocd-judge --time has printed no time');
  return Number(took) / NANOSECONDS_PER_MICROSECOND;
}

async function timeOurs(objects: readonly JsonObject[]): Promise<number> {
  const judgeAll = (): void => {
    for (const object of objects) do_not_optimize(assessArgoCd(object, '3'));
  };
  return (await compiledNanoseconds(judgeAll)) / objects.length / NANOSECONDS_PER_MICROSECOND;
}

/** The recorded objects for which Argo CD has a rule, by kind; without those being deleted, for which no rule is asked. */
function judgedByKind(): ReadonlyMap<string, readonly JsonObject[]> {
  const objects = recordedObjects().flatMap(({ events }) => events.map(({ object }) => object));
  const judged = objects.filter(
    (object) => !isDeleting(object) && assessArgoCd(object, '3') !== null,
  );
  const byKind = [...Map.groupBy(judged, (object) => textAt(object, 'kind'))];
  return new Map(byKind.sort(([a], [b]) => compareText(a, b)));
}

/** @throws Error if Argo CD says something else of an object */
async function requireSameVerdicts(folder: string, objects: readonly JsonObject[]): Promise<void> {
  const judge = await startJudge(folder);
  const said = await judge.ask(objects).finally(() => judge.stop());
  for (const [index, object] of objects.entries())
    requireSame('health', differenceOf(object, said[index] ?? null), undefined);
}

async function measureArgoCd(): Promise<readonly Figure[]> {
  const folder = await judgeFolder().catch((error: Error) => {
    throw new PeerMissing(error.message, { cause: error });
  });
  const version = (await run(join(folder, 'argocd-judge'), ['--version'])).stdout.trim();
  const section = `Health of one recorded object, beside the engine of Argo CD ${version} (median)`;
  const figures: Figure[] = [];
  for (const [kind, objects] of judgedByKind()) {
    await requireSameVerdicts(folder, objects);
    const theirs = await timeArgoCd(folder, objects);
    const what = `${kind} (${objects.length} objects)`;
    figures.push(
      {
        section,
        what,
        value: await timeOurs(objects),
        unit: 'µs',
        beside: `Argo CD: ${rounded(theirs)} µs`,
      },
      { section, what: `peer: Argo CD, ${kind}`, value: theirs, unit: 'µs' },
    );
  }
  return figures;
}

/** Argo CD's engine for health, beside the port of its rules. */
export const ARGO_CD: Peer = { name: "Argo CD's engine", measure: measureArgoCd };
