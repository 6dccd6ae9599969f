import { quantile } from './figure.ts';

/** A line of a picture: its name, and its points from left to right. */
export interface Curve {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const WIDTH = 640;
const HEIGHT = 360;
const MARGIN = { left: 64, right: 96, top: 32, bottom: 48 };
const COLOURS = ['#1f6feb', '#bc4c00', '#8250df', '#57606a'];

/** Powers of ten, and 2 and 5 times them, that lie between two values or next to them. */
function ticks(from: number, to: number): readonly number[] {
  const first = Math.floor(Math.log10(from));
  const last = Math.ceil(Math.log10(to));
  const decades = Array.from(
    { length: last - first + 1 },
    (_decade, index) => 10 ** (first + index),
  );
  const all = decades.flatMap((decade) => [decade, 2 * decade, 5 * decade]);
  const low = all.findLast((tick) => tick <= from) ?? from;
  const high = all.find((tick) => tick >= to) ?? to;
  return all.filter((tick) => tick >= low && tick <= high);
}

function place(value: number, [from, to]: readonly [number, number], length: number): number {
  return (length * Math.log(value / from)) / Math.log(to / from);
}

/** Curves over logarithmic axes, as SVG. All values are greater than 0. */
export function curvePicture(
  curves: readonly Curve[],
  { title, x, y }: { readonly title: string; readonly x: string; readonly y: string },
): string {
  const points = curves.flatMap((curve) => curve.points);
  const ends = (values: readonly number[]): [number, number] => {
    const all = ticks(quantile(values, 0), quantile(values, 1));
    return [all[0] ?? 1, all.at(-1) ?? 10];
  };
  const [xEnds, yEnds] = [
    ends(points.map((point) => point.x)),
    ends(points.map((point) => point.y)),
  ];
  const [width, height] = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const left = (value: number): string => (MARGIN.left + place(value, xEnds, width)).toFixed(1);
  const top = (value: number): string =>
    (HEIGHT - MARGIN.bottom - place(value, yEnds, height)).toFixed(1);
  const grid = [
    ...ticks(...xEnds).map(
      (tick) =>
        `<line x1="${left(tick)}" x2="${left(tick)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}"/><text x="${left(tick)}" y="${HEIGHT - MARGIN.bottom + 16}" text-anchor="middle">${tick}</text>`,
    ),
    ...ticks(...yEnds).map(
      (tick) =>
        `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${top(tick)}" y2="${top(tick)}"/><text x="${MARGIN.left - 6}" y="${top(tick)}" text-anchor="end" dominant-baseline="middle">${tick}</text>`,
    ),
  ];
  const lines = curves.map(({ name, points: own }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = own.map((point) => `${left(point.x)},${top(point.y)}`).join(' ');
    const last = own.at(-1) ?? { x: xEnds[0], y: yEnds[0] };
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/><text x="${Number(left(last.x)) + 6}" y="${top(last.y)}" fill="${colour}" dominant-baseline="middle">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${MARGIN.left}" y="18" font-size="13">${title}</text>
<g stroke="#d0d7de" stroke-width="0.5" fill="#57606a">${grid.join('\n').replaceAll('<text ', '<text stroke="none" ')}</g>
${lines.join('\n')}
<text x="${MARGIN.left + width / 2}" y="${HEIGHT - 10}" text-anchor="middle">${x}</text>
<text transform="translate(14 ${MARGIN.top + height / 2}) rotate(-90)" text-anchor="middle">${y}</text>
</svg>
`;
}
