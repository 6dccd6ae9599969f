/** What the pictures use of gifenc, which has no types of its own. */
declare module 'gifenc' {
  type Palette = number[][];
  interface Frame {
    readonly palette?: Palette;
    /** Milliseconds. */
    readonly delay?: number;
    readonly transparent?: boolean;
    readonly transparentIndex?: number;
    readonly dispose?: number;
  }
  interface Encoder {
    writeFrame(index: Uint8Array, width: number, height: number, frame: Frame): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  const gifenc: {
    GIFEncoder(): Encoder;
    quantize(rgba: Uint8Array, maxColors: number): Palette;
    applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
  };
  // biome-ignore lint/style/noDefaultExport: a CommonJS module.
  export default gifenc;
}
