import { plainShown, shownText } from '#console/model/shown-text.ts';

/** A text from outside: isolated, with characters that would take effect shown by their names. */
export function OutsideText({ text, max }: { readonly text: string; readonly max?: number }) {
  const { pieces, left } = shownText(text, max);
  return (
    <bdi>
      {pieces.map((piece) =>
        'text' in piece ? piece.text : <span class="ctl">{piece.code}</span>,
      )}
      {left > 0 && <span class="dim"> … {left} more characters</span>}
    </bdi>
  );
}

const TAIL = 4;
const SHORT = 14;
const MAX_NAME = 300;

/** A name that may be long: it is cut in the middle, because names often differ at the end. The title has the whole. */
export function Name({ text, tail = TAIL }: { readonly text: string; readonly tail?: number }) {
  const cut = text.length > SHORT ? text.length - tail : text.length;
  return (
    <bdi class="name" title={plainShown(text)}>
      <span class="h">
        <OutsideText text={text.slice(0, cut)} max={MAX_NAME} />
      </span>
      <span class="t">
        <OutsideText text={text.slice(cut)} />
      </span>
    </bdi>
  );
}
