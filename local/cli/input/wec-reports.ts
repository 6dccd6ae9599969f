import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { ReturnedObject } from '#shared/core/event.ts';
import { at, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { ORIGIN_WDS_LABEL } from '#shared/core/kubestellar.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { compareTimes } from '#shared/core/status/time-order.ts';
import { objectKey } from '#shared/core/workload.ts';
import { type GivenObject, givenObjects } from './given-objects.ts';
import type { ResourceOf } from './kind-names.ts';
import { aboutObject, NO_WEC_NAME, reportedTwice } from './messages.ts';
import type { ReadFile } from './read-files.ts';
import { invalidSource, severalOrigins } from './report-messages.ts';
import type { WdsInput } from './wds-input.ts';

/** The report of one WEC on one object. */
export interface WecReport {
  readonly wec: string;
  /** Key of the workload object, as {@link objectKey} makes it. */
  readonly key: string;
  /** Its location in the input, for messages. */
  readonly location: string;
  readonly title: string;
  readonly returned: ReturnedObject;
  /** The WEC's whole object. Absent if only its status is known. */
  readonly object?: JsonObject;
}

/** The files that were given for one WEC. */
export interface WecFiles {
  readonly wec: string;
  readonly files: readonly ReadFile[];
}

function ofWec({ wec, files }: WecFiles, resourceOf: ResourceOf): readonly WecReport[] {
  return givenObjects(files).map(({ location, title, group, kind, namespace, name, object }) => {
    const key = objectKey({ group, resource: resourceOf(group, kind), namespace, name });
    return { wec, key, location, title, returned: returnedObject(object), object };
  });
}

function sourceField(given: GivenObject, field: string): string {
  const value = at(given.object, 'spec', 'sourceRef', field);
  const mayBeEmpty = field === 'group' || field === 'namespace';
  if (typeof value === 'string' && (mayBeEmpty || value !== '')) return value;
  if (field === 'namespace' && (value === undefined || value === null)) return '';
  throw new InputError(aboutObject(given, invalidSource(field)));
}

/** The report of a WorkStatus. Its own metadata is the ITS's. Only the time of its status comes from the WEC. */
function ofWorkStatus(given: GivenObject): WecReport {
  const { location, title, namespace: wec, object } = given;
  if (wec === '') throw new InputError(aboutObject(given, NO_WEC_NAME));
  const managedFields = at(object, 'metadata', 'managedFields');
  const status = member(object, 'status');
  const content: Record<string, JsonValue> = {
    ...(managedFields === undefined ? {} : { metadata: { managedFields } }),
    ...(status === undefined ? {} : { status }),
  };
  const [group, resource, namespace, name] = ['group', 'resource', 'namespace', 'name'].map(
    (field) => sourceField(given, field),
  );
  const key = `${group}/${resource}/${namespace}/${name}`;
  return { wec, key, location, title, returned: returnedObject(content) };
}

function originOf({ object }: GivenObject): string | undefined {
  const origin = at(object, 'metadata', 'labels', ORIGIN_WDS_LABEL);
  return typeof origin === 'string' ? origin : undefined;
}

function workStatusesOf(
  input: WdsInput,
  wds: string | undefined,
  notice: (text: string) => void,
): readonly WecReport[] {
  const origins = new Set(input.workStatuses.flatMap((given) => originOf(given) ?? []));
  if (wds === undefined && origins.size > 1) notice(severalOrigins([...origins].sort()));
  return input.workStatuses
    .filter((given) => wds === undefined || (originOf(given) ?? wds) === wds)
    .map(ofWorkStatus);
}

/** Whether `a` has more content, or is newer, than `b`. Never true both ways, so the order of files does not matter. */
function prevails(a: WecReport, b: WecReport): boolean {
  if ((a.object === undefined) !== (b.object === undefined)) return a.object !== undefined;
  const [mine, other] = [a.returned.lastUpdate ?? '', b.returned.lastUpdate ?? ''];
  return mine === other ? a.title > b.title : compareTimes(mine, other) > 0;
}

/** The reports of all WECs, by object and WEC. */
export type WecReports = ReadonlyMap<string, ReadonlyMap<string, WecReport>>;

/** The WECs that report any object. */
export function reportingWecs(reports: WecReports): ReadonlySet<string> {
  return new Set([...reports.values()].flatMap((byWec) => [...byWec.keys()]));
}

/**
 * The reports of the WECs: the objects that are given for each, and the WorkStatuses. If two are about the same object,
 * the WEC's own object takes precedence, then the newer one.
 *
 * @throws InputError for a WorkStatus that does not name its object
 */
export function readReports(
  given: { readonly input: WdsInput; readonly wecs: readonly WecFiles[]; readonly wds?: string },
  notice: (text: string) => void,
): WecReports {
  const { input, wecs, wds } = given;
  const reports = new Map<string, Map<string, WecReport>>();
  const all = [
    ...wecs.flatMap((files) => ofWec(files, input.resourceOf)),
    ...workStatusesOf(input, wds, notice),
  ];
  for (const report of all) {
    const ofObject = reports.get(report.key) ?? new Map<string, WecReport>();
    reports.set(report.key, ofObject);
    const other = ofObject.get(report.wec);
    const used = other === undefined || prevails(report, other) ? report : other;
    ofObject.set(report.wec, used);
    const dropped = used === report ? other : report;
    if (dropped !== undefined)
      notice(aboutObject(dropped, reportedTwice(report.wec, used.location)));
  }
  return reports;
}
