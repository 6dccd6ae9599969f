import { type Family, VERDICTS, type Verdict, WORST_FIRST } from './verdicts.ts';
import { byName } from './wec-row.ts';

/** A rectangle of a spectrum, in the units of its width and height. */
export interface Tick {
  readonly family: Family | 'none';
  /** Of a silent WEC in a row: its last word counts, so it stays low. */
  readonly isHushed: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What determines the places of WECs: the order of their names within groups, and where groups begin. */
export interface WecOrder {
  readonly wecs: readonly string[];
  /** Groups of neighbours, such as regions. Empty if the WECs have no such label. */
  readonly groups: readonly { readonly name: string; readonly from: number }[];
}

/** The labels by which WECs are put together, the first that one of them has. */
const GROUP_LABELS = ['region', 'topology.kubernetes.io/region'];

/** Puts WECs in the order in which every spectrum shows them. */
export function orderWecs(
  wecs: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[],
): WecOrder {
  const label = GROUP_LABELS.find((one) => wecs.some(({ labels }) => labels[one] !== undefined));
  const groupOf = (labels: Readonly<Record<string, string>>) =>
    label === undefined ? '' : (labels[label] ?? '');
  const sorted = wecs
    .map(({ name, labels }) => ({ name, group: groupOf(labels) }))
    .toSorted((a, b) => byName(a.group, b.group) || byName(a.name, b.name));
  const groups = sorted.flatMap(({ group }, from) =>
    label !== undefined && group !== sorted[from - 1]?.group ? [{ name: group, from }] : [],
  );
  return { wecs: sorted.map(({ name }) => name), groups };
}

/** More WECs than this share ticks. */
export const MAX_TICKS = 200;
export const WIDTH = 1_000;
/** How high a family stands, as a share of the height. */
const HEIGHTS: Readonly<Record<Family, number>> = {
  bad: 1,
  absent: 0.8,
  moving: 0.62,
  rest: 0.36,
  fine: 0.3,
};
const HUSHED = 0.34;
const GAP = WIDTH / 160;
/** A tick that stands alone leaves some paper between its neighbours and itself. */
const LONE = 0.66;
/** In a tick that several WECs share, what is bad never takes less, so that nothing drowns. */
const LEAST = { bad: 0.5, other: 0.28 };

/** What is drawn for one tick or, with `undefined`, the place of a WEC to which the object is not sent. */
export type Placed = Verdict | undefined;

interface Bin {
  readonly x: number;
  readonly width: number;
  readonly verdicts: readonly Placed[];
}

function binsOf(placed: readonly Placed[], groups: WecOrder['groups']): readonly Bin[] {
  const count = Math.min(placed.length, MAX_TICKS);
  const isShared = placed.length > count;
  const starts = new Set(isShared ? [] : groups.map(({ from }) => from).filter((from) => from > 0));
  const unit = (WIDTH - starts.size * GAP) / Math.max(count, 1);
  let x = 0;
  return Array.from({ length: count }, (_, bin) => {
    if (starts.has(bin)) x += GAP;
    const width = unit * (isShared ? 1 : LONE);
    const at = x + (isShared ? 0 : (unit - width) / 2);
    x += unit;
    const [from, to] = [bin, bin + 1].map((one) => Math.floor((one * placed.length) / count));
    return { x: at, width, verdicts: placed.slice(from, to) };
  });
}

function tickOf(verdict: Placed, { x, width }: Pick<Bin, 'x' | 'width'>, height: number): Tick {
  const isHushed = verdict === 'Silent';
  const family = verdict === undefined ? 'none' : VERDICTS[verdict].family;
  const share = family === 'none' ? HEIGHTS.fine / 3 : HEIGHTS[family];
  const high = (isHushed ? HUSHED : share) * height;
  return { family, isHushed, x, y: height - high, width, height: high };
}

function ticksOf({ x, width, verdicts }: Bin, height: number): readonly Tick[] {
  const ticks: Tick[] = [];
  let left = width;
  for (const verdict of [...WORST_FIRST, undefined]) {
    const share = verdicts.filter((one) => one === verdict).length / verdicts.length;
    if (share === 0 || left <= 0) continue;
    const least = verdict && VERDICTS[verdict].family === 'bad' ? LEAST.bad : LEAST.other;
    const taken = Math.min(left, Math.max(share, least) * width);
    ticks.push(tickOf(verdict, { x: x + width - left, width: taken }, height));
    left -= taken;
  }
  return ticks;
}

/**
 * The ticks of a spectrum: one for each WEC in its place, or shares of ticks if there are more than {@link MAX_TICKS}.
 *
 * @param height in the units of the drawing, which is {@link WIDTH} wide
 */
export function spectrumTicks(
  placed: readonly Placed[],
  { groups }: Pick<WecOrder, 'groups'>,
  height: number,
): readonly Tick[] {
  return binsOf(placed, groups).flatMap((bin) => ticksOf(bin, height));
}

/** The directions in names of regions, as clouds have them. */
const DIRECTIONS = /north|south|east|west|central/g;

/** The names of groups, each shorter if it is still another one than all others: `us-e`, `ap-se`. */
export function shortNames(names: readonly string[]): readonly string[] {
  const short = names.map((name) => name.replaceAll(DIRECTIONS, (word) => word.charAt(0)));
  return new Set(short).size === new Set(names).size ? short : names;
}

/** Where a group begins, as a share of the width. */
export function groupStarts({
  wecs,
  groups,
}: WecOrder): readonly { readonly name: string; readonly at: number }[] {
  const bins = binsOf(
    wecs.map(() => undefined),
    groups,
  );
  return groups.map(({ name, from }) => {
    const bin = Math.floor((from / Math.max(wecs.length, 1)) * bins.length);
    return { name, at: (bins[bin]?.x ?? 0) / WIDTH };
  });
}

/** The WEC nearest to a place, given as a share of the width. */
export function wecAt({ wecs, groups }: WecOrder, share: number): number {
  const bins = binsOf(
    wecs.map(() => undefined),
    groups,
  );
  const at = share * WIDTH;
  const found = bins.findIndex(({ x, width }) => at < x + width);
  const bin = found < 0 ? bins.length - 1 : found;
  return Math.floor((bin / Math.max(bins.length, 1)) * wecs.length);
}
