import { ARGO_CD_ORDER, NO_VERDICT } from '#shared/core/health/verdict.ts';
import { EVENT_TYPES } from './change-event.ts';
import { ACCEPTED, REFUSED, REPORTING, SILENT, type TopicType } from './topic.ts';

/** What a member of an event is: a text, a list of texts, or an object with members. */
export type EventMember = 'text' | 'list' | Members;
type Members = ReadonlyMap<string, EventMember>;

/** The members of `data` that only some events of a type have. */
export const OPTIONAL_MEMBERS: ReadonlySet<string> = new Set(['message', 'refused', 'lastContact']);

function texts(...names: readonly string[]): readonly (readonly [string, EventMember])[] {
  return names.map((name) => [name, 'text']);
}

const WORKLOAD: Members = new Map(texts('wds', 'group', 'resource', 'namespace', 'name'));
const STATES = texts('status', 'previous');

const DATA: Readonly<Record<TopicType, Members>> = {
  verdict: new Map([['workload', WORKLOAD], ...STATES, ...texts('message')]),
  refusals: new Map([['workload', WORKLOAD], ...STATES, ['refused', 'list']]),
  silence: new Map([...texts('wec'), ...STATES, ...texts('lastContact')]),
};

/** The members of an event of a type (docs/notifications.md, "Events"). */
export const EVENT_MEMBERS: Readonly<Record<TopicType, Members>> = {
  verdict: eventOf(DATA.verdict),
  refusals: eventOf(DATA.refusals),
  silence: eventOf(DATA.silence),
};

function eventOf(data: Members): Members {
  const attributes = ['id', 'specversion', 'type', 'source', 'subject', 'time', 'sequence'];
  return new Map([...texts(...attributes, 'datacontenttype'), ['data', data]]);
}

/** The values of `data.status` and `data.previous` in the events of a type. */
const STATUSES: Readonly<Record<TopicType, readonly string[]>> = {
  verdict: [...ARGO_CD_ORDER, NO_VERDICT],
  refusals: [REFUSED, ACCEPTED.status],
  silence: [SILENT, REPORTING],
};

/** What is at a path of the events of a type, such as `['data', 'status']`. Undefined if no event has it. */
export function memberAt(type: TopicType, path: readonly string[]): EventMember | undefined {
  let found: EventMember | undefined = EVENT_MEMBERS[type];
  for (const name of path) found = typeof found === 'object' ? found.get(name) : undefined;
  return found;
}

/** All values that a text at a path has in the events of a type. Undefined if they are not a fixed set. */
export function wordsAt(type: TopicType, path: readonly string[]): readonly string[] | undefined {
  switch (path.join('.')) {
    case 'type':
      return [EVENT_TYPES[type]];
    case 'data.status':
    case 'data.previous':
      return STATUSES[type];
    default:
      return undefined;
  }
}

/** The texts of an event that are known before it happens, by their paths. */
export type KnownTexts = ReadonlyMap<string, string>;

/** The known texts of all events of a type. Only what an API server rejects may change while the status stays. */
export function possibleEvents(type: TopicType): readonly KnownTexts[] {
  return STATUSES[type].flatMap((status) =>
    STATUSES[type]
      .filter((previous) => previous !== status || (type === 'refusals' && status === REFUSED))
      .map(
        (previous) =>
          new Map([
            ['type', EVENT_TYPES[type]],
            ['data.status', status],
            ['data.previous', previous],
          ]),
      ),
  );
}
