import { type JsonValue, parseJson, textAt } from '#shared/core/json.ts';

/** Why the tab cannot show what it should. */
export type ProblemType =
  /** Neither Argo CD nor the API behind it answers. */
  | 'unreachable'
  /** Argo CD has no proxy extension of this name. */
  | 'not-configured'
  /** Argo CD does not let this user use the proxy extension for this application. */
  | 'not-allowed'
  /** The API does not know the token that Argo CD sends. */
  | 'bad-token'
  /** The account of the token may not read this. */
  | 'forbidden'
  /** Too many ask at once, or the WDS does not answer. */
  | 'busy'
  /** The statuses of the object are too large to be explained. */
  | 'too-large'
  | 'failed';

/** A request that failed. */
export interface Problem {
  readonly type: ProblemType;
  /** A sentence for the user. */
  readonly message: string;
}

/** Thrown instead of an answer. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.message, options);
    this.problem = problem;
  }
}

const UNREACHABLE: ReadonlySet<number> = new Set([502, 503, 504]);

function problemOfArgoCd(code: number, extension: string, text: string): Problem {
  if (code === 401 || code === 403)
    return {
      type: 'not-allowed',
      message: `Argo CD does not let you use the extension ${extension} for this application: you need "get" on the application, and "invoke" on "extensions" with this name.`,
    };
  if (code === 429)
    return { type: 'busy', message: "What is in front of Starfold's API asks to wait." };
  if (UNREACHABLE.has(code))
    return { type: 'unreachable', message: "Argo CD cannot reach Starfold's API." };
  if (code === 200 || code === 404)
    return {
      type: 'not-configured',
      message: `Argo CD has no proxy extension ${extension}: docs/argocd.md says how it is configured.`,
    };
  return { type: 'failed', message: `Argo CD answers ${code}: ${text.trim().slice(0, 300)}` };
}

const TYPES: Readonly<Record<number, ProblemType>> = {
  401: 'bad-token',
  403: 'forbidden',
  413: 'too-large',
  429: 'busy',
  503: 'busy',
};

function problemOfApi(code: number, said: string): Problem {
  const type = TYPES[code] ?? 'failed';
  if (type === 'bad-token')
    return {
      type,
      message:
        "Starfold's API does not know the token that Argo CD sends: check the header Authorization of the extension, and the Secret behind it.",
    };
  if (type === 'busy') return { type, message: `Starfold's API asks to wait: ${said}` };
  return { type, message: said === '' ? `Starfold's API answers ${code}.` : said };
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** An answer as text. */
export interface AnswerText {
  readonly code: number;
  readonly text: string;
}

/**
 * The object of an answer.
 *
 * @param extension the name of the proxy extension
 * @returns undefined if the API has no such object
 * @throws ProblemError
 */
export function bodyOf({ code, text }: AnswerText, extension: string): JsonValue | undefined {
  const body = jsonOf(text);
  const isStatus = textAt(body, 'kind') === 'Status';
  if (code === 200 && textAt(body, 'apiVersion') !== '' && !isStatus) return body;
  if (!isStatus) throw new ProblemError(problemOfArgoCd(code, extension, text));
  if (code === 404) return undefined;
  throw new ProblemError(problemOfApi(code, textAt(body, 'message')));
}
