import { NON_READY_STATES } from './bundle-state.ts';
import { modifiedLine, nonReadyLine } from './line.ts';
import { countOf, firstOf, type NonReadyEntry, type SummaryPart } from './summary-fold.ts';
import { boundedMessage, roomBeside } from './text.ts';

/** The maximum number of lines from each list of a deployment (Fleet's code, `ReadyMessage`). */
const MAX_LINES = 4;

/** The beginning of a section of a message. */
export interface Heading {
  /** The state, or another problem. */
  readonly state: string;
  readonly count: number;
  /** The kind of the named object: `Cluster` or `Bundle`. */
  readonly kind: string;
  readonly name: string;
  /** `''` if there is none. */
  readonly message: string;
}

/** `State(count) [Kind name: message]` (Fleet, Status Fields, "Ready Condition"). */
function headingText({ state, count, kind, name, message }: Heading): string {
  return `${state}(${count}) [${kind} ${name}${message === '' ? '' : `: ${message}`}]`;
}

function linesOf({ modified, nonReady }: NonReadyEntry): readonly string[] {
  const lines = [
    ...modified.slice(0, MAX_LINES).map(modifiedLine),
    ...nonReady.slice(0, MAX_LINES).map(nonReadyLine),
  ];
  return lines.sort();
}

/** The section of a message for one state: the heading, then the problems of the deployment that the heading names. */
interface Section {
  readonly state: string;
  readonly heading: string;
  readonly lines: readonly string[];
}

function sectionsOf(part: SummaryPart, kind: string, more: readonly Heading[]): readonly Section[] {
  const others = more.map((heading) => ({
    state: heading.state,
    heading: headingText(heading),
    lines: [],
  }));
  const states = NON_READY_STATES.flatMap((state): readonly Section[] => {
    const [entry] = firstOf(part, state);
    if (entry === undefined) return [];
    const { name, message } = entry;
    const heading = headingText({ state, count: countOf(part, state), kind, name, message });
    return [{ state, heading, lines: linesOf(entry) }];
  });
  return [...others, ...states].sort((a, b) => (a.state < b.state ? -1 : 1));
}

const SEPARATOR = '; ';

/** The texts of all sections: every heading, and as many lines as there is room for. */
function textsOf(sections: readonly Section[]): readonly string[] {
  const headings = sections.map(({ heading }) => heading).join(SEPARATOR);
  let room = roomBeside(headings);
  const fits = (line: string): boolean => {
    const needed = line.length + SEPARATOR.length;
    if (needed > room) return false;
    room -= needed;
    return true;
  };
  return sections.flatMap(({ heading, lines }) => [heading, ...lines.filter(fits)]);
}

/**
 * The message of a Ready condition. For each state that is not Ready, in alphabetical order, it contains the number of
 * deployments in that state, the name of the first, and the problems of the first (Fleet, Status Fields, "Ready Condition"). It
 * is `''` if all are Ready. If the message would be too long, problems are left out, but no state is.
 *
 * @param kind the kind of the objects that the part names
 * @param more other problems, besides the states of deployments
 */
export function readyMessage(
  part: SummaryPart,
  kind: string,
  more: readonly Heading[] = [],
): string {
  const texts = textsOf(sectionsOf(part, kind, more));
  return boundedMessage(texts.join(SEPARATOR));
}
