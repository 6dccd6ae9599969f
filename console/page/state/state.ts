import { computed, effect, signal } from '@preact/signals';
import { API, ApiProblem } from '#console/live/client.ts';
import { Follower, type FollowerOptions, type Hold, type Phase } from '#console/live/follower.ts';
import type { ApiObject, ExplanationObject, WecObject } from '#console/model/api-objects.ts';
import { isExplanationChanged, workloadRow } from '#console/model/overview.ts';
import { parseRoute, type Route, routeText } from '#console/model/routes.ts';
import { plainShown } from '#console/model/shown-text.ts';
import { orderWecs } from '#console/model/spectrum.ts';
import type { WecRow } from '#console/model/wec-row.ts';
import { enterStep } from './scroll.ts';

/** What the URL shows. */
export const route = signal<Route>(parseRoute(location.hash));
addEventListener('hashchange', () => {
  enterStep();
  route.value = parseRoute(location.hash);
});

/** The only namespace that is read, for a user who may read no other (`/?namespace=shop`). Undefined for all. */
export const onlyNamespace =
  new URLSearchParams(location.search).get('namespace')?.trim() || undefined;

/** The name of the WDS, as the server of the page knows it. `''` if it does not. */
export const wdsName =
  document.querySelector<HTMLMetaElement>('meta[name="wds"]')?.content.trim() ?? '';

/** Below which lists of objects with a namespace are. */
export const LISTS =
  onlyNamespace === undefined ? API : `${API}/namespaces/${encodeURIComponent(onlyNamespace)}`;

/** Shows something, as a step that "back" undoes. */
export function open(to: Route): void {
  location.hash = routeText(to);
}

/** Shows the same in another way, which is no step of its own. */
export function replace(to: Route): void {
  history.replaceState(history.state, '', routeText(to));
  route.value = to;
}

/** The time that ages are shown for. It stands still while nothing is known of the present. */
export const nowMs = signal(Date.now());
export const openedMs = Date.now();

/** Whether changes are kept back, and how many are. */
export const held = signal(false);
export const keptBack = signal(0);

const HOLD: Hold = {
  held,
  keepBack: (changes) => {
    keptBack.value += changes;
  },
};

let mayWatch = false;

/** Lets this window watch until it is closed. Without a lock, another window has the place. */
function takePlace(lock: Lock | null): Promise<never> | undefined {
  if (lock === null) return undefined;
  mayWatch = true;
  return new Promise(() => undefined);
}

/**
 * Two windows watch, and all others list again and again: a browser has six connections to a server, for all of its windows together,
 * and a screen has two watches. When one of the two is closed, another one takes its place.
 */
async function waitForPlace(locks: LockManager): Promise<void> {
  await locks.request('watch-1', { ifAvailable: true }, takePlace);
  await locks.request('watch-2', { ifAvailable: true }, takePlace);
  await locks.request('watch-1', takePlace);
}

void waitForPlace(navigator.locks);

const followers = signal<readonly Follower<ApiObject, unknown>[]>([]);
const isVisible = signal(document.visibilityState !== 'hidden');

/**
 * Follows objects until `stop`. Watches of pages that nobody sees end: a browser has few connections to a server, for all of its
 * windows together.
 */
export function follow<T extends ApiObject, Row>(
  options: FollowerOptions<T, Row>,
): { readonly follower: Follower<T, Row>; stop(): void } {
  const follower = new Follower({ ...options, mayWatch: () => mayWatch }, HOLD);
  return { follower, stop: begin(follower) };
}

/** Lets a follower read. Returns what ends it. */
function begin<T extends ApiObject, Row>(follower: Follower<T, Row>): () => void {
  // What it follows does not matter to those that only start, stop and ask it.
  const any = follower as unknown as Follower<ApiObject, unknown>;
  followers.value = [...followers.peek(), any];
  if (isVisible.peek()) follower.start();
  return () => {
    follower.stop();
    followers.value = followers.peek().filter((one) => one !== any);
  };
}

addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState !== 'hidden';
  for (const follower of followers.peek())
    if (isVisible.peek()) follower.start();
    else follower.stop();
});

/** Why what is shown may no longer be true, and since when. */
export interface Stale {
  readonly sinceMs: number;
  /** What a server says about it. Absent if nothing answers. */
  readonly said?: string;
  /** The code of the answer with which the API has refused. Absent if it does not answer. */
  readonly refused?: number;
}

const FAILED = 500;

function staleOf(phase: Phase): readonly Stale[] {
  const { type } = phase;
  if (type === 'lost') return [phase];
  if (type !== 'refused' || phase.sinceMs === undefined) return [];
  const { error, sinceMs } = phase;
  const refused = error instanceof ApiProblem ? error.code : FAILED;
  return [{ sinceMs, said: error.message, refused }];
}

/** Why something that is shown may no longer be true: first that nothing answers. Undefined as long as all is read. */
export const stale = computed(() => {
  const all = followers.value.flatMap(({ phase }) => staleOf(phase.value));
  return all.find(({ refused }) => refused === undefined) ?? all[0];
});

/** Tries everything again that waits. */
export function retryNow(): void {
  for (const follower of followers.peek())
    if (follower.phase.peek().type !== 'live') follower.retryNow();
}

/** Holds all changes, or lets them in. */
export function toggleHold(): void {
  held.value = !held.peek();
  keptBack.value = 0;
  if (!held.peek()) for (const follower of followers.peek()) follower.release();
}

const TICK_MS = 1_000;
setInterval(() => {
  if (isVisible.peek() && stale.peek() === undefined) nowMs.value = Date.now();
}, TICK_MS);

const WEC_MS = 5_000;
const CLUSTER_MS = 5_000;

/** Follows explanations when a screen first needs all of them. */
function ofAll(path: string, everyMs?: number): Follower<ExplanationObject, ExplanationObject> {
  const options: FollowerOptions<ExplanationObject, ExplanationObject> = {
    path,
    rowOf: (explanation) => explanation,
    isChanged: isExplanationChanged,
    mayWatch: () => mayWatch,
    ...(everyMs === undefined ? {} : { everyMs }),
  };
  return new Follower(options, HOLD);
}

/** Why the status of each object with a namespace is what it is. */
export const explanations = ofAll(`${LISTS}/explanations`);

/** The same of objects without a namespace. They are few and rarely change. */
export const clusterExplanations = ofAll(`${API}/clusterexplanations`, CLUSTER_MS);

let isReadingAll = false;

/** Reads all explanations from now on. A screen of one object, or of one WEC, does not need them. */
export function readExplanations(): void {
  if (isReadingAll) return;
  isReadingAll = true;
  begin(explanations);
  begin(clusterExplanations);
}

/** All WECs. A heartbeat is no change, so a watch would not tell of it. */
export const wecs = follow<WecObject, WecObject>({
  path: `${API}/wecs`,
  rowOf: (wec) => wec,
  everyMs: WEC_MS,
}).follower;

/** The explanations of all objects. */
export const allExplanations = computed(() => [
  ...explanations.shown.value.values(),
  ...clusterExplanations.shown.value.values(),
]);

/** The rows of all objects, in no order. */
export const workloads = computed(() => allExplanations.value.map(workloadRow));

/** The places of WECs in every spectrum. */
export const wecOrder = computed(() =>
  orderWecs(
    [...wecs.shown.value.values()].map(({ metadata: { name, labels = {} } }) => ({ name, labels })),
  ),
);

/** A change that was seen since the page was opened. */
export interface SeenChange {
  /** Another number for each change. */
  readonly id: number;
  readonly atMs: number;
  readonly row: WecRow;
}

const MAX_SEEN = 50;

/** The last changes, the newest first. */
export const seen = signal<readonly SeenChange[]>([]);

let lastId = 0;
let seenWhileHeld: readonly SeenChange[] = [];

function withNewest(
  before: readonly SeenChange[],
  newest: readonly SeenChange[],
): readonly SeenChange[] {
  return [...newest, ...before].slice(0, MAX_SEEN);
}

/** Notes a change. While changes are held, it is not shown. */
export function noteChange(row: WecRow): void {
  lastId += 1;
  const change = { id: lastId, atMs: Date.now(), row };
  if (held.peek()) seenWhileHeld = withNewest(seenWhileHeld, [change]);
  else seen.value = withNewest(seen.peek(), [change]);
}

/** Shows the changes that were noted while they were held. */
effect(() => {
  if (held.value || seenWhileHeld.length === 0) return;
  seen.value = withNewest(seen.peek(), seenWhileHeld);
  seenWhileHeld = [];
});

/** The revision of what was read last. CombinedStatuses are read from the WDS, which has other revisions. */
export const revision = computed(() =>
  Math.max(
    0,
    ...followers.value.filter(({ path }) => path.startsWith(API)).map((one) => one.revision.value),
  ),
);

/** `dark`, `light`, or as the system has it. */
export function toggleTheme(): void {
  const root = document.documentElement;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = root.dataset['theme'] ?? (isDark ? 'dark' : 'light');
  root.dataset['theme'] = theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset['theme']);
}

/** Names the page in the browser's tabs and history. */
export function titled(title: () => string): () => void {
  return effect(() => {
    const parts = [title(), ...(wdsName === '' ? [] : [wdsName]), 'Starfold'];
    document.title = parts.map((part) => plainShown(part)).join(' · ');
  });
}
