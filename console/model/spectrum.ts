import { type Family, VERDICTS } from '#shared/core/explanation/shown-verdict.ts';
import {
  type Placed,
  tickHeight,
  tickParts,
  tickRanges,
} from '#shared/core/explanation/spectrum.ts';
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

export const WIDTH = 1_000;
const GAP = WIDTH / 160;
/** A tick that stands alone leaves some paper between its neighbours and itself. */
const LONE = 0.66;

interface Bin {
  readonly x: number;
  readonly width: number;
  readonly verdicts: readonly Placed[];
}

function binsOf(placed: readonly Placed[], groups: WecOrder['groups']): readonly Bin[] {
  const ranges = tickRanges(placed.length);
  const isShared = placed.length > ranges.length;
  const starts = new Set(isShared ? [] : groups.map(({ from }) => from).filter((from) => from > 0));
  const unit = (WIDTH - starts.size * GAP) / Math.max(ranges.length, 1);
  let x = 0;
  return ranges.map(([from, to], bin) => {
    if (starts.has(bin)) x += GAP;
    const width = unit * (isShared ? 1 : LONE);
    const at = x + (isShared ? 0 : (unit - width) / 2);
    x += unit;
    return { x: at, width, verdicts: placed.slice(from, to) };
  });
}

function tickOf(verdict: Placed, { x, width }: Pick<Bin, 'x' | 'width'>, height: number): Tick {
  const family = verdict === undefined ? 'none' : VERDICTS[verdict].family;
  const high = tickHeight(verdict) * height;
  return { family, isHushed: verdict === 'Silent', x, y: height - high, width, height: high };
}

function ticksOf({ x, width, verdicts }: Bin, height: number): readonly Tick[] {
  let at = x;
  return tickParts(verdicts).map((part) => {
    const taken = part.width * width;
    const tick = tickOf(part.verdict, { x: at, width: taken }, height);
    at += taken;
    return tick;
  });
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
