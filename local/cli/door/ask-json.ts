import { InputError } from '#local/cli/terminal/cli-error.ts';
import { BUNDLE_DEPLOYMENT_STATUSES } from '#shared/api/bundle-deployments.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, textAt } from '#shared/core/json.ts';
import { type Door, type DoorAnswer, type DoorRequest, DoorUnavailableError } from './door.ts';
import {
  credentialsRefused,
  errorFromServer,
  NOT_SERVED_REMEDIES,
  noApi,
  notOfKubernetes,
  notServed,
} from './messages.ts';

const ROOT = '/apis/status.starfold.dev/v1alpha1';
const RETRYABLE: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** The API has refused a request. The message has its reason and, if the API is not the cause, the remedy. */
export class RefusedError extends InputError {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A resource of the API, in a namespace, in all (`''`), or without one. */
export interface Collection {
  readonly plural: string;
  /** Absent for all namespaces, and for a resource without namespaces. */
  readonly namespace?: string;
}

/** The path of a collection, or of an object in it. */
export function pathOf({ plural, namespace }: Collection, name?: string): string {
  const namespacePath =
    namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${ROOT}${namespacePath}/${plural}${object}`;
}

async function textOf({ body }: DoorAnswer): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  return pieces.join('');
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What kubectl says of an error. */
function sentence(code: number, status: JsonValue | undefined, text: string): string {
  const reason = textAt(status, 'reason');
  const message = textAt(status, 'message') || text.trim() || `HTTP ${code}`;
  return errorFromServer(reason, message);
}

/** Whether an answer of 404 is about the path instead of an object. */
function isUnknownPath(code: number, status: JsonValue | undefined): boolean {
  return code === 404 && textAt(status, 'details', 'name') === '';
}

async function isServed(door: Door): Promise<boolean> {
  const answer = await door.ask({ method: 'GET', path: ROOT });
  await textOf(answer);
  return answer.code === 200;
}

/** What to do about a resource that is not served. The API of a management cluster of Fleet has one resource of its own. */
async function remedyFor(door: Door, resource: string): Promise<string> {
  const { plural } = BUNDLE_DEPLOYMENT_STATUSES;
  if (resource === plural) return NOT_SERVED_REMEDIES.ofFleet;
  const answer = await door.ask({ method: 'GET', path: ROOT });
  const isFleet = (await textOf(answer)).includes(`"${plural}"`);
  return isFleet ? NOT_SERVED_REMEDIES.notOfFleet(plural) : NOT_SERVED_REMEDIES.older;
}

async function unknownPath(door: Door, path: string): Promise<string> {
  const { name, others } = door;
  if (!(await isServed(door))) return noApi(name, others);
  const [first, , named] = path.slice(ROOT.length + 1).split('/');
  const resource = first === 'namespaces' ? named : first;
  const remedy =
    resource === undefined ? NOT_SERVED_REMEDIES.older : await remedyFor(door, resource);
  return notServed(name, String(resource), remedy);
}

async function refusalOf(door: Door, path: string, answer: DoorAnswer): Promise<InputError> {
  const { code } = answer;
  const text = await textOf(answer);
  const status = parsed(text);
  if (isUnknownPath(code, status)) return new RefusedError(code, await unknownPath(door, path));
  const message = sentence(code, status, text);
  // The server has lost its state. The same request would fail for ever.
  if (text.includes('ResourceVersionTooLarge')) return new RefusedError(code, message);
  if (RETRYABLE.has(code)) return new DoorUnavailableError(`${door.name}: ${message}`);
  if (code === 401) return new RefusedError(code, credentialsRefused(door.name, message));
  return new RefusedError(code, message);
}

/**
 * Sends a request, and returns its answer if it is not an error.
 *
 * @throws RefusedError for errors of the request; DoorUnavailableError for those that a retry may help
 */
export async function askOk(door: Door, request: DoorRequest): Promise<DoorAnswer> {
  const answer = await door.ask(request);
  if (answer.code < 400) return answer;
  throw await refusalOf(door, request.path, answer);
}

const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts of the header `Warning` (RFC 7234, section 5.5). */
export function warningsOf({ headers }: Pick<DoorAnswer, 'headers'>): readonly string[] {
  const found = (headers['warning'] ?? '').matchAll(WARNING);
  return [...found].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}

/**
 * Like {@link askOk}, with the whole answer, which is an object.
 *
 * @param onWarning called with each warning of the answer
 */
export async function askJson(
  door: Door,
  request: DoorRequest,
  onWarning: (text: string) => void,
): Promise<JsonObject> {
  const answer = await askOk(door, request);
  for (const text of warningsOf(answer)) onWarning(text);
  const object = parsed(await textOf(answer));
  if (isObject(object)) return object;
  throw new InputError(notOfKubernetes(door.name));
}
