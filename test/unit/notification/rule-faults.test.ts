import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { changeEvent, EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import {
  EVENT_MEMBERS,
  type EventMember,
  OPTIONAL_MEMBERS,
  possibleEvents,
} from '#shared/core/notification/event-shape.ts';
import { compileRules, matchRule } from '#shared/core/notification/rules.ts';
import {
  refusalState,
  TOPIC_TYPES,
  type Topic,
  type TopicState,
  type TopicType,
} from '#shared/core/notification/topic.ts';

const ALL = TOPIC_TYPES;
const ONLY_VERDICT = ['verdict'] as const;
const PLACE = 'line 1, column ';

/** The faults of an expression in a rule for these types. */
function faultsOf(
  text: string,
  { types = ONLY_VERDICT, field = 'condition' }: FaultOptions = {},
): readonly string[] {
  const events = types.map((type) => EVENT_TYPES[type]);
  const { faults } = compileRules([{ name: 'r', events, [field]: text, send: ['s'] }]);
  return faults.map(({ message }) => message);
}

interface FaultOptions {
  readonly types?: readonly TopicType[];
  readonly field?: 'condition' | 'oncePer';
}

const NEVER =
  'it is true for no event of the rule, whatever the event says: correct it, or remove the rule';
const VERDICTS = 'Healthy, Suspended, Progressing, Missing, Degraded, Unknown, None';

describe('an expression is faulty that', () => {
  it.each([
    [
      'event.data.stauts == "x"',
      'event.data has no member stauts: did you mean event.data.status?',
    ],
    [
      'has(event.data.xyz)',
      'event.data has no member xyz: it has workload, status, previous, message',
    ],
    [
      'event["data"].workload.nmae == "a"',
      'event.data.workload has no member nmae: did you mean event.data.workload.name?',
    ],
    [
      '"ns" in event.data.workload',
      'event.data.workload has no member ns: it has wds, group, resource, namespace, name',
    ],
    ['evnt.data == 1', "undeclared reference to 'evnt' (in container '')"],
    [
      'event.status == "Degraded"',
      'event has no member status: it has id, specversion, type, source, subject, time, sequence, datacontenttype, data',
    ],
    ['event.data.status.x == 1', 'event.data.status has no members'],
    [
      'event.data.xyz.name == "a"',
      'event.data has no member xyz: it has workload, status, previous, message',
    ],
    [
      'event.data.wec == "east"',
      'no event of the rule has event.data.wec: only dev.starfold.silence.changed.v1 has it',
    ],
    [
      '["a"].exists(x, x == event.data.y)',
      'event.data has no member y: it has workload, status, previous, message',
    ],
  ])('reads a member that no event of the rule has: %s', (text, message) => {
    const [first, ...others] = faultsOf(text);
    expect(others).toEqual([]);
    expect(first).toMatch(new RegExp(`^${PLACE}\\d+: `));
    expect(first?.replace(/^line 1, column \d+: /, '')).toBe(message);
  });

  it.each([
    [
      'event.data.status == "degraded"',
      'event.data.status is never "degraded": did you mean Degraded?',
    ],
    [
      '"OutOfSync" == event.data.status',
      `event.data.status is never "OutOfSync": it is one of ${VERDICTS}`,
    ],
    [
      'event.data.previous in ["Healthy", "Silent"]',
      `event.data.previous is never "Silent": it is one of ${VERDICTS}`,
    ],
    ['event.data.status == 1', 'event.data.status is a text: compare it with a text'],
    [
      'event.data.workload.name == true',
      'event.data.workload.name is a text: compare it with a text',
    ],
    [
      `event.type == "${EVENT_TYPES.silence}"`,
      `event.type is never "${EVENT_TYPES.silence}": it is one of ${EVENT_TYPES.verdict}`,
    ],
  ])('compares a text with what it never is: %s', (text, message) => {
    expect(faultsOf(text).map((one) => one.replace(/^line 1, column \d+: /, ''))).toEqual([
      message,
    ]);
  });

  it.each([
    [
      'event.data.message == null',
      'event.data.message is a text, never null: has(event.data.message) tells whether it is there',
    ],
    [
      'event.data.message in [1, 2.0, 3u] && event.data.status == "Degraded"',
      'event.data.message is a text: compare it with a text',
    ],
    ['1.5 == event.data.status', 'event.data.status is a text: compare it with a text'],
    ['event.data.status == b"x"', 'event.data.status is a text: compare it with a text'],
  ])('is never true because it compares a text with another type: %s', (text, message) => {
    const found = faultsOf(text).map((one) => one.replace(/^line 1, column \d+: /, ''));
    expect(new Set(found)).toEqual(new Set([message]));
  });

  it.each<readonly [string, readonly TopicType[]]>([
    ['false', ALL],
    ['event.data.message', ONLY_VERDICT],
    ['event.data.status', ONLY_VERDICT],
    ['event.data.status == "Degraded" && event.data.status == "Healthy"', ONLY_VERDICT],
    ['event.data.status == event.data.previous', ONLY_VERDICT],
    ['!(event.data.status in ["Refused", "Accepted"])', ['refusals']],
    ['event.data.wec == "east" && event.data.status == "Degraded"', ['verdict', 'silence']],
    ['has(event.data.refused) && has(event.data.message)', ALL],
    ['event.data.status.contains("degraded")', ONLY_VERDICT],
    ['event.data.status.startsWith("graded") || event.data.status.endsWith("Degr")', ONLY_VERDICT],
    ['event.data.status == "Silent" ? event.data.previous == "Silent" : false', ['silence']],
  ])('is true for no event: %s', (text, types) => {
    expect(faultsOf(text, { types })).toEqual([NEVER]);
  });

  it('names each place, in both fields of a rule', () => {
    expect(faultsOf('event.x == event.y')).toEqual([
      expect.stringMatching(/^line 1, column \d+: event has no member x: /),
      expect.stringMatching(/^line 1, column \d+: event has no member y: /),
    ]);
    expect(faultsOf('event.data.x', { field: 'oncePer' })).toEqual([
      expect.stringContaining('event.data has no member x'),
    ]);
  });

  it('shows only the begin of a long name', () => {
    const [fault] = faultsOf(`event.data.${'x'.repeat(500)}`);
    expect(fault).toContain(`${'x'.repeat(100)}…: it has`);
  });
});

describe('an expression is not faulty that', () => {
  it.each<readonly [string, readonly TopicType[]]>([
    ['event.data.wec == "east"', ALL],
    ['event.data.status in ["Degraded", "Silent"]', ALL],
    ['event.data.status != "Healthy" || event.data.refused.size() > 3', ALL],
    ['event.data.refused.exists(text, text.contains("x"))', ['refusals']],
    ['"x" in event.data.refused', ['refusals']],
    ['event.data.refused[0] == "x"', ['refusals']],
    ['event.data.status == event.data.previous', ['refusals']],
    ['has(event.data.message) && event.data.message.matches("deadline")', ONLY_VERDICT],
    ['dyn(event).data.anything == 1', ONLY_VERDICT],
    ['["a"].exists(event, event == "b")', ONLY_VERDICT],
    ['event.data.workload[event.data.workload.name] == "x"', ONLY_VERDICT],
    ['event.time.startsWith("2026")', ALL],
    ['"x" in event.data.refused', ALL],
    ['event.data.refused[0].x == "y"', ALL],
    ['event.data.status in event.data.refused', ['refusals']],
    ['["a"].map(x, event.data.status) == ["Healthy"]', ONLY_VERDICT],
    ['event.data.workload == "web"', ONLY_VERDICT],
    ['true', ALL],
    ['1.0 == 1.0', ALL],
    ['!has(event.data.wec) ? event.data.status == "None" : true', ALL],
    ['event == {"a": 1} || event.data.status > "D"', ALL],
    ['event.data.status.contains("egrad")', ONLY_VERDICT],
    ['event.data.status.contains(event.data.workload.name)', ONLY_VERDICT],
    ['event.data.status.matches("degraded")', ONLY_VERDICT],
    ['event.type != "OTHER"', ONLY_VERDICT],
    ['"degraded" != event.data.status', ONLY_VERDICT],
    ['event.data.message != null', ONLY_VERDICT],
    ['!(event.data.message == null)', ONLY_VERDICT],
    ['event.data.message == null || event.data.status == "Degraded"', ONLY_VERDICT],
    ['event.data.message == 1 ? false : event.data.status != 2', ONLY_VERDICT],
    ['event.data.message in [null, "x"]', ONLY_VERDICT],
    ['event.data.message == event.data.workload.name', ONLY_VERDICT],
  ])('may be true: %s', (text, types) => {
    expect(faultsOf(text, { types })).toEqual([]);
  });

  it('may give each event a value of oncePer', () => {
    expect(faultsOf('event.data.status == "Degraded"', { field: 'oncePer' })).toEqual([]);
    expect(faultsOf('false', { field: 'oncePer' })).toEqual([]);
    expect(faultsOf('event.data.message == null', { field: 'oncePer' })).toEqual([]);
  });
});

const WORKLOAD = {
  wds: 'wds1',
  group: 'apps',
  resource: 'deployments',
  namespace: 'n',
  name: 'web',
};

function topicOf(type: TopicType): Topic {
  return type === 'silence' ? { type, wec: 'east' } : { type, workload: WORKLOAD };
}

/** A state with everything that states of a type may have. */
function stateOf(type: TopicType, status: string): TopicState {
  if (type === 'verdict') return { status, message: 'm' };
  if (type === 'refusals') return status === 'Refused' ? refusalState(['a']) : refusalState([]);
  return { status, lastContact: '2026-11-27T00:00:00Z' };
}

function eventOf(type: TopicType, known: ReadonlyMap<string, string>): JsonObject {
  const [status = '', previous = ''] = ['data.status', 'data.previous'].map((at) => known.get(at));
  const state = stateOf(type, status);
  const change = { topic: topicOf(type), previous, state, sequence: 1, nowMs: 0 };
  return { id: 'i', ...changeEvent(change) };
}

/** The members that are known of a value, as a tree of names. */
function namesOf(value: EventMember | JsonValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, member]) => [name, namesOf(member)]));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, namesOf(one)]));
}

describe('the members that are known of events', () => {
  it.each(ALL)('are those of the events that are sent: %s', (type) => {
    const [first = new Map<string, string>()] = possibleEvents(type);
    expect(namesOf(eventOf(type, first))).toEqual(namesOf(EVENT_MEMBERS[type]));
  });

  it('are optional where an event may lack them', () => {
    const change = { sequence: 1, nowMs: 0, previous: 'None' };
    for (const type of ALL) {
      const event = changeEvent({ ...change, topic: topicOf(type), state: { status: 'x' } });
      const data = EVENT_MEMBERS[type].get('data');
      const all = data instanceof Map ? [...data.keys()] : [];
      const missing = all.filter(
        (name) => !Object.keys(event['data'] as JsonObject).includes(name),
      );
      expect(missing.every((name) => OPTIONAL_MEMBERS.has(name))).toBe(true);
      expect(missing).toHaveLength(1);
    }
  });
});

describe('a condition that is refused', () => {
  // The check and the evaluation are separate code: what may be true and what is true must agree.
  const STATUS = 'event.data.status';
  const PARTS = [
    `${STATUS} == "Degraded"`,
    `${STATUS} != "Healthy"`,
    'event.data.previous == "None"',
    `${STATUS} in ["Missing", "Unknown"]`,
    'event.data.workload.name == "web"',
    'has(event.data.message)',
    'event.data.message == "m"',
    'event.data.message == null',
    `${STATUS} != 1.5`,
    `${STATUS} != "OTHER"`,
  ];

  it('is true for no event that can be sent', () => {
    let refused = 0;
    for (const a of PARTS)
      for (const b of PARTS)
        for (const condition of [
          `${a} && ${b}`,
          `!(${a} || !(${b}))`,
          `${a} ? !(${a}) : ${b} && !(${b})`,
        ]) {
          const isRefused = faultsOf(condition).length > 0;
          const { rules } = compileRules([
            // `dyn` hides the event from the check.
            {
              name: 'r',
              events: [EVENT_TYPES.verdict],
              condition: condition.replaceAll('event.', 'dyn(event).'),
              send: ['s'],
            },
          ]);
          const isTrue = possibleEvents('verdict').some((known) =>
            rules.some((rule) => matchRule(rule, eventOf('verdict', known)).type === 'yes'),
          );
          expect({ condition, both: isRefused && isTrue }).toEqual({ condition, both: false });
          refused += Number(isRefused);
        }
    expect(refused).toBeGreaterThan(PARTS.length);
  });
});
