import { plainShown } from '#console/model/shown-text.ts';
import { Name, OutsideText } from './outside-text.tsx';
import { Cell } from './row.tsx';

/** The end of the name of an object, which stays if the name is cut. */
const TAIL = 6;

/** The cell of an object in a table: its name, which leads somewhere, and a note. */
export function ObjectCell({
  href,
  name,
  note,
  label,
}: {
  readonly href: string;
  readonly name: string;
  readonly note: string;
  /** What assistive technology calls the link. Default: the name. */
  readonly label?: string;
}) {
  return (
    <Cell of="who">
      <a
        href={href}
        tabIndex={-1}
        class="name"
        {...(label === undefined ? {} : { 'aria-label': plainShown(label) })}
      >
        <Name text={name} tail={TAIL} />
      </a>
      <span class="dim clip">
        <OutsideText text={note} />
      </span>
    </Cell>
  );
}
