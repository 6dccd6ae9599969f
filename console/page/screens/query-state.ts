import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Answer, Asker } from '#console/live/asker.ts';
import { ApiProblem, isQueryEnded } from '#console/live/client.ts';
import { unknownNames } from '#console/model/query/completion.ts';
import {
  causesIn,
  type Fault,
  faultsOf,
  fieldText,
  rowFaults,
} from '#console/model/query/faults.ts';
import { namesBehind } from '#console/model/query/names.ts';
import { packQuery, unpackQuery } from '#console/model/query/packed-query.ts';
import {
  EMPTY,
  type FieldProblem,
  hasColumns,
  type Query,
  type SentQuery,
  sentQuery,
} from '#console/model/query/query.ts';
import { startedQuestion } from '#console/model/query/ready-queries.ts';
import {
  changedRows,
  nextSort,
  parseResultSort,
  type ResultSort,
  sortText,
} from '#console/model/query/result.ts';
import { type Route, routeText } from '#console/model/routes.ts';
import { held, open, replace, route } from '#console/page/state/state.ts';
import { kindOfResource, known, learnAbout } from './query-known.ts';

/** A question that was asked, and how it was sent. */
export interface AskedQuery {
  readonly query: Query;
  readonly sent: SentQuery;
}

/** The question in the editor. */
export const query = signal<Query>(EMPTY);
/** Whether the address holds no question that can be read. */
export const isBroken = signal(false);
/** The order of the rows. */
export const sort = signal<ResultSort | undefined>(undefined);
/** The column of the chart. Undefined: the first that has numbers. */
export const charted = signal<number | undefined>(undefined);
/** What the page itself finds wrong with the question. */
const ownProblem = signal<FieldProblem | undefined>(undefined);

const asker = new Asker<AskedQuery>();

/** The answer to the last valid question, and why there is none to the last one. */
export const asking = asker.state;

/** The fields in which an expression stands. */
function expressionFields({ filter, select, groupBy, combined }: Query): readonly string[] {
  return [
    ...(filter === '' ? [] : ['filter']),
    ...select.map((_line, index) => `select.${index}.def`),
    ...groupBy.map((_line, index) => `groupBy.${index}.def`),
    ...combined.map((_line, index) => `combined.${index}.subject`),
  ];
}

const problemFaults = computed((): readonly Fault[] => {
  const own = ownProblem.value;
  if (own !== undefined) return [own];
  const { problem } = asking.value;
  if (!(problem?.error instanceof ApiProblem)) return [];
  return faultsOf(problem.asked.query, problem.asked.sent, causesIn(problem.error.details));
});

const foundInRows = computed((): readonly Fault[] => {
  const { answer } = asking.value;
  if (answer === undefined) return [];
  const behind = (path: readonly string[]) =>
    namesBehind(path, known.value).map(({ text }) => text);
  // The places are those of the question that was answered.
  const isAsWritten = ({ field }: Fault): boolean =>
    fieldText(query.value, field) === fieldText(answer.asked.query, field);
  return rowFaults(answer.asked.query, answer.result.errors, behind).filter(isAsWritten);
});

const foundInSchema = computed((): readonly Fault[] => {
  const kind = kindOfResource(query.value.resource);
  if (kind === undefined) return [];
  return expressionFields(query.value).flatMap((field) =>
    unknownNames(field, fieldText(query.value, field), { kind: kind.kind, known: known.value }),
  );
});

function startsAt({ range }: Fault): number {
  return range?.from ?? -1;
}

/** What is wrong with each field. What the schema says of a name, the rows need not say again. */
export const faults: ReadonlySignal<ReadonlyMap<string, readonly Fault[]>> = computed(() => {
  const byField = new Map<string, Fault[]>();
  for (const fault of [...problemFaults.value, ...foundInSchema.value, ...foundInRows.value]) {
    const others = byField.get(fault.field) ?? [];
    const isSaid =
      fault.range !== undefined && others.some((one) => startsAt(one) === startsAt(fault));
    if (!isSaid) byField.set(fault.field, [...others, fault]);
  }
  return byField;
});

/** The fields in which the API has found the question invalid. */
export const isInvalid = computed(() => problemFaults.value.length > 0);

/** A change is asked about when nothing was written for this time. */
const SETTLE_MS = 250;
/** The last question is asked again after this time. */
const REFRESH_MS = 5_000;
/** The API is busy with this question for at most this part of the time. */
const REFRESH_SHARE = 10;

let settling: ReturnType<typeof setTimeout> | undefined;
let packed: string | undefined;

function ask(): void {
  const sent = sentQuery(query.peek());
  const isWrong = 'message' in sent;
  ownProblem.value = isWrong ? sent : undefined;
  if (isWrong) asker.cancel();
  else if (hasColumns(query.peek())) void asker.ask({ query: query.peek(), sent });
  else asker.clear();
}

function showAddress(): void {
  const order = sort.peek();
  const shown: Route = {
    screen: 'query',
    ...(packed === undefined ? {} : { packed }),
    ...(order === undefined ? {} : { sort: sortText(order) }),
  };
  // An address that is shown already is no news.
  if (routeText(shown) !== routeText(route.peek())) replace(shown);
}

async function writeAddress(): Promise<void> {
  const shown = query.peek();
  const text = shown === EMPTY ? undefined : await packQuery(shown);
  // Something else may have been written or opened meanwhile.
  if (shown !== query.peek() || route.peek().screen !== 'query') return;
  packed = text;
  showAddress();
}

/** Sorts the rows by a column, the other way round, or as they were answered. */
export function sortBy(column: number): void {
  sort.value = nextSort(sort.peek(), column);
  showAddress();
}

/** Asks the question in the editor now. */
export function run(): void {
  clearTimeout(settling);
  settling = undefined;
  ask();
  void writeAddress();
}

/** Changes the question. It is asked when nothing more is written. */
export function edit(change: Partial<Query>): void {
  query.value = { ...query.peek(), ...change };
  isBroken.value = false;
  clearTimeout(settling);
  settling = setTimeout(run, SETTLE_MS);
}

/** Asks another question. */
export function show(asked: Query, order?: ResultSort): void {
  query.value = asked;
  isBroken.value = false;
  sort.value = order;
  charted.value = undefined;
  run();
}

/** Asks another question, as a step that "back" undoes. */
export async function follow(asked: Query): Promise<void> {
  open({ screen: 'query', packed: await packQuery(asked) });
}

export function more(): void {
  void asker.more();
}

export function cancel(): void {
  asker.cancel();
}

async function showPacked(text: string, order: ResultSort | undefined): Promise<void> {
  const found = await unpackQuery(text);
  const now = route.peek();
  if (now.screen !== 'query' || now.packed !== text) return;
  packed = text;
  if (found !== undefined) return show(found, order);
  asker.clear();
  query.value = EMPTY;
  isBroken.value = true;
}

/** Whether an address begins a question instead of holding one. */
function isStart({ packed: held, about, ready, only }: Route & { screen: 'query' }): boolean {
  return held === undefined && (about ?? ready ?? only) !== undefined;
}

/** Shows the question of an address. An address without one leaves the last question where it is. */
export function openAddress(asked: Route & { screen: 'query' }): void {
  const order = parseResultSort(asked.sort);
  const started = isStart(asked) ? startedQuestion(asked) : undefined;
  if (started !== undefined) show(started.query, started.sort);
  else if (asked.packed === undefined) {
    if (query.peek() !== EMPTY) run();
  } else if (asked.packed !== packed) void showPacked(asked.packed, order);
  else {
    sort.value = order;
    const { answer, problem } = asking.peek();
    // It was given up when another screen was opened.
    if (answer === undefined && problem === undefined && !asker.isBusy) ask();
  }
}

function refresh(): void {
  const { answer, problem } = asking.peek();
  const isWatched = document.visibilityState !== 'hidden' && !held.peek();
  // A question that is invalid stays so, and one that was ended would be ended again.
  const isHopeless = isInvalid.peek() || (problem !== undefined && isQueryEnded(problem.error));
  if (!isWatched || asker.isBusy || settling !== undefined || isHopeless) return;
  const last = problem ?? answer;
  // A question that takes long is asked less often.
  const isEarly =
    answer !== undefined && performance.now() - answer.atMs < answer.tookMs * REFRESH_SHARE;
  if (last !== undefined && !isEarly) void asker.again(last.asked);
}

/** By key of a row, a number that is another one with each change since the question was asked. */
export const changes = signal<ReadonlyMap<string, number>>(new Map());

const NO_CHANGES: ReadonlyMap<string, number> = new Map();

/** The changes after another answer. Another question has none yet. */
function changesAfter(
  before: Answer<AskedQuery> | undefined,
  answer: Answer<AskedQuery> | undefined,
): ReadonlyMap<string, number> {
  if (answer === undefined || answer.asked !== before?.asked) return NO_CHANGES;
  const noted = changes.peek();
  const changed = changedRows(before.result, answer.result);
  return new Map([...noted, ...changed.map((key) => [key, (noted.get(key) ?? 0) + 1] as const)]);
}

/** Notes the rows that say something else than before. */
function noteChanges(): () => void {
  let before: Answer<AskedQuery> | undefined;
  return effect(() => {
    const { answer } = asking.value;
    if (answer !== before) changes.value = changesAfter(before, answer);
    before = answer;
  });
}

/** The resource that is asked about, if there are objects of it. */
const aboutResource = computed(() => {
  const { resource } = query.value;
  return kindOfResource(resource) === undefined ? '' : resource;
});

/** Keeps the answer up to date, until the returned function is called. */
export function keepAsking(): () => void {
  const timer = setInterval(refresh, REFRESH_MS);
  const stopLearning = effect(() => learnAbout(aboutResource.value));
  const stopNoting = noteChanges();
  return () => {
    clearInterval(timer);
    stopNoting();
    clearTimeout(settling);
    settling = undefined;
    stopLearning();
    asker.cancel();
  };
}
