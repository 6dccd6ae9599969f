import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { packageFile } from '#local/package-file.ts';
import { isArray, isObject, type JsonObject, member, parseJson } from '#shared/core/json.ts';

/** A change in a WEC, or what a user applied in the WDS, at a time since the start of the recording. */
export type RecordedStep =
  | {
      readonly type: 'wec';
      readonly atMs: number;
      readonly wec: string;
      readonly object: JsonObject;
    }
  | { readonly type: 'wds'; readonly atMs: number; readonly object: JsonObject };

/** A recorded rollout. */
export interface Recording {
  /** In chronological order. */
  readonly steps: readonly RecordedStep[];
  readonly lengthMs: number;
  /** The initial objects of the WDS: CustomResourceDefinitions, Namespace, StatusCollectors, Binding. */
  readonly control: readonly JsonObject[];
}

const TIMESTAMP = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"/g;

function demoText(name: string): string {
  return readFileSync(packageFile(`local/start/demo/${name}`), 'utf8');
}

function textOf(value: JsonObject, key: string): string {
  return String(member(value, key) ?? '');
}

function objectOf(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new RangeError('a line of the recording is not an object');
  return value;
}

function documentsIn(text: string): readonly JsonObject[] {
  // The documents are the project's own files, and only contain values that JSON has.
  return parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
}

function documents(name: string): readonly JsonObject[] {
  return documentsIn(demoText(name));
}

const DEFINITIONS = ['bindings', 'bindingpolicies', 'combinedstatuses', 'statuscollectors'];

/** KubeStellar's CustomResourceDefinitions, as in a WDS, for `kubectl explain`. */
function definitions(): readonly JsonObject[] {
  return DEFINITIONS.flatMap((resource) =>
    documentsIn(readFileSync(packageFile(`infra/crds/${resource}.yaml`), 'utf8')),
  );
}

/** When the recording began, and how its times are mapped to a playback. */
interface Playback {
  readonly beganMs: number;
  readonly startMs: number;
  readonly speed: number;
}

/** The text with every timestamp as if the recording had begun at the start of the playback, at this speed. */
function moved(text: string, { beganMs, startMs, speed }: Playback): string {
  return text.replaceAll(TIMESTAMP, (_whole, time: string) => {
    const ms = startMs + (Date.parse(time) - beganMs) / speed;
    return `"${new Date(ms).toISOString().slice(0, 19)}Z"`;
  });
}

function wecSteps(playback: Playback): readonly RecordedStep[] {
  const lines = demoText('deployment-rollout.jsonl').trimEnd().split('\n');
  return lines.map((line) => {
    const atMs = Date.parse(textOf(objectOf(line), 't')) - playback.beganMs;
    const event = objectOf(moved(line, playback));
    const object = member(event, 'object');
    if (!isObject(object)) throw new RangeError('an event of the recording has no object');
    return { type: 'wec', atMs, wec: textOf(event, 'cluster'), object };
  });
}

/**
 * Reads the demo: the creation, a new image and the scaling of a Deployment in three clusters. Its timestamps are
 * changed so that the rollout seems to begin now, at this speed.
 *
 * @param startMs milliseconds since the epoch
 */
export function readDemo(startMs: number, speed: number): Recording {
  const schedule = parseJson(demoText('schedule.json'));
  const entries = isArray(schedule) ? schedule.filter(isObject) : [];
  const beganMs = Math.min(...entries.map((entry) => Date.parse(textOf(entry, 't'))));
  const wdsSteps = entries.flatMap((entry): readonly RecordedStep[] =>
    documents(textOf(entry, 'manifest')).map((object) => ({
      type: 'wds',
      atMs: Date.parse(textOf(entry, 't')) - beganMs,
      object,
    })),
  );
  const steps = [...wdsSteps, ...wecSteps({ beganMs, startMs, speed })].sort(
    (a, b) => a.atMs - b.atMs,
  );
  return {
    steps,
    lengthMs: steps.at(-1)?.atMs ?? 0,
    control: [...definitions(), ...documents('control.yaml')],
  };
}
