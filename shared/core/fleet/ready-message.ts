import { NON_READY_STATES } from './bundle-state.ts';
import { modifiedLine, nonReadyLine } from './resource/line.ts';
import { countOf, firstOf, type NonReadyEntry, type SummaryPart } from './summary-fold.ts';
import { boundedMessage, roomBeside } from './text.ts';

/** So many lines of each list of a deployment are told (Fleet's code, `ReadyMessage`). */
const MAX_LINES = 4;

/** What of a status a message tells. */
export interface Heading {
  /** The state, or what else is wrong. */
  readonly state: string;
  readonly count: number;
  /** What is named: `Cluster` or `Bundle`. */
  readonly kind: string;
  readonly name: string;
  /** `''`: none. */
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

/** What a message tells of one state: its heading, then what is wrong with the deployment that it names. */
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

/** The texts of all sections: every heading, and of the lines as many as there is room for. */
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
 * The message of a Ready condition: each state that is not Ready, in alphabetical order, with how many deployments are in
 * it, the first of them and what is wrong with that one (Fleet, Status Fields, "Ready Condition"). `''` where all are
 * Ready. What is wrong is left out where it would be too long; no state is.
 *
 * @param kind what the names in the part are of
 * @param more what else is wrong, besides the states of deployments
 */
export function readyMessage(
  part: SummaryPart,
  kind: string,
  more: readonly Heading[] = [],
): string {
  const texts = textsOf(sectionsOf(part, kind, more));
  return boundedMessage(texts.join(SEPARATOR));
}
