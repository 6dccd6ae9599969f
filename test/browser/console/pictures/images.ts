import { gifenc, PNG } from '#tools/pictures.ts';

/** A picture that is shown for a time. */
export interface Frame {
  readonly png: Buffer;
  /** Milliseconds. */
  readonly ms: number;
}

const CHANNELS = 4;
/** A GIF has 256 colours. One of them stands for what has not changed. */
const COLOURS = 255;
const UNCHANGED = 255;
/** The next frame is drawn over this one. */
const KEEP = 1;

/** The different pixels of pictures. The colours of most pixels are alike, and count as often as a picture has them. */
function palette(pictures: readonly PNG[]): number[][] {
  const all = Buffer.concat(pictures.map(({ data }) => data));
  const found = gifenc.quantize(new Uint8Array(all), COLOURS);
  return [...found, ...Array.from({ length: COLOURS + 1 - found.length }, () => [0, 0, 0])];
}

function isSamePixel(one: Buffer, other: Buffer, at: number): boolean {
  return one.readUInt32LE(at) === other.readUInt32LE(at);
}

/** The colours of the pixels of a frame, by number, where it differs from the frame before. */
function pixelsOf({ data }: PNG, before: PNG | undefined, known: number[][]): Uint8Array {
  const pixels = gifenc.applyPalette(new Uint8Array(data), known);
  if (before === undefined) return pixels;
  return pixels.map((colour, at) =>
    isSamePixel(data, before.data, at * CHANNELS) ? UNCHANGED : colour,
  );
}

/** An animated picture that is repeated for ever: GIF, as every browser and GitHub show it. */
export function gifOf(frames: readonly Frame[]): Uint8Array {
  const pictures = frames.map(({ png }) => PNG.sync.read(png));
  const colours = palette(pictures);
  const known = colours.slice(0, COLOURS);
  const gif = gifenc.GIFEncoder();
  for (const [index, picture] of pictures.entries()) {
    const { width, height } = picture;
    gif.writeFrame(pixelsOf(picture, pictures[index - 1], known), width, height, {
      ...(index === 0 ? { palette: colours } : { transparent: true, transparentIndex: UNCHANGED }),
      ...{ delay: frames[index]?.ms ?? 0, dispose: KEEP },
    });
  }
  gif.finish();
  return gif.bytes();
}

const RGB = 2;
const NO_FILTER = 0;

/** The same picture in fewer bytes: without transparency, and compressed as far as it goes. */
export function smallPng(picture: Buffer): Buffer {
  const options = {
    colorType: RGB,
    filterType: NO_FILTER,
    deflateLevel: 9,
    deflateStrategy: 0,
  } as const;
  return PNG.sync.write(PNG.sync.read(picture), options);
}

/** The size of a picture, and the colour of its first pixel, such as `#0e121a`: the ground of the page. */
export function groundOf(picture: Buffer): { readonly size: string; readonly colour: string } {
  const { width, height, data } = PNG.sync.read(picture);
  return { size: `${width}x${height}`, colour: `#${data.toString('hex', 0, 3)}` };
}

/** The share of pixels that differ, from 0 to 1. 1 if the sizes differ. */
export function differenceOf(one: Buffer, other: Buffer): number {
  if (one.equals(other)) return 0;
  const [a, b] = [PNG.sync.read(one), PNG.sync.read(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  const count = a.width * a.height;
  let different = 0;
  for (let at = 0; at < count; at += 1)
    if (!isSamePixel(a.data, b.data, at * CHANNELS)) different += 1;
  return different / count;
}
