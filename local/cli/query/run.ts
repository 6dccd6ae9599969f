import type { Door } from '#local/cli/door/door.ts';
import { whyNothing } from '#local/cli/get/missing.ts';
import { parseObjectText } from '#local/cli/input/named-object.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';
import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';
import { isSubdomain } from '#shared/core/names.ts';
import { type Asking, answersTo, isOtherResource, type QueriedObjects } from './ask.ts';
import { NO_COLUMN, notAName } from './messages.ts';
import { QueryResult, type ResultOptions } from './result.ts';
import { collectorSpec, labelSelector, type QueryOptions } from './spec.ts';

/** The options of `starfold query`, besides those of the door. */
export interface QueryCommand extends ResultOptions {
  readonly namespace?: string;
  readonly selector?: string;
  readonly save?: string;
}

/** What a query is run with. */
export interface QueryRun {
  readonly door: Door;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

const DEFAULT_NAMESPACE = 'default';

/** @throws UsageError if there is no column */
function checkColumns({ select = [], groupBy = [], aggregated }: QueryOptions): void {
  if (select.length + groupBy.length + aggregated.length === 0) throw new UsageError(NO_COLUMN);
}

/**
 * The StatusCollector that computes the same for good, for each object to which a Binding attaches it.
 *
 * @throws UsageError without a column, or with a name that no object can have; InputError if an expression is invalid
 */
export function savedCollector(name: string, options: QueryOptions): JsonObject {
  checkColumns(options);
  if (!isSubdomain(name)) throw new UsageError(notAName(name));
  const spec = { ...collectorSpec(options), limit: options.limit ?? MAX_QUERY_LIMIT };
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new InputError(compilation.errors.join('; '));
  return { apiVersion: CONTROL_API_VERSION, kind: 'StatusCollector', metadata: { name }, spec };
}

function objectsOf(
  text: string | undefined,
  { namespace, allNamespaces, selector }: QueryCommand,
  door: Door,
): QueriedObjects {
  const named = text?.includes('/') === true ? parseObjectText(text) : { word: text };
  return {
    ...(named.word === undefined ? {} : { word: named.word }),
    ...('name' in named ? { name: named.name } : {}),
    ...(allNamespaces === true
      ? {}
      : { namespace: namespace ?? door.namespace ?? DEFAULT_NAMESPACE }),
    ...(selector === undefined ? {} : { labelSelector: labelSelector(selector) }),
  };
}

/** Why there is nothing about the objects that the command line names. */
async function faultOf(
  asking: Asking,
  { word, name, namespace }: QueriedObjects,
): Promise<InputError | undefined> {
  if (word === undefined) return undefined;
  const wanted = { type: 'reports', word, ...(name === undefined ? {} : { name }) } as const;
  return whyNothing(asking, wanted, namespace === undefined ? {} : { namespace });
}

/**
 * Asks a query, until all rows or the most that are wanted are there, and prints them.
 *
 * @param text `RESOURCE`, `RESOURCE/NAME`, or nothing for all objects
 * @throws UsageError for options that are wrong; InputError if the API rejects the query or does not answer
 */
export async function runQuery(
  text: string | undefined,
  options: QueryCommand,
  { door, terminal, signal }: QueryRun,
): Promise<void> {
  checkColumns(options);
  const result = new QueryResult(options, terminal);
  const warned = new Set<string>();
  const onWarning = (warning: string): void => {
    if (!warned.has(warning)) terminal.notice(warning);
    warned.add(warning);
  };
  const objects = objectsOf(text, options, door);
  const asking: Asking = { door, onWarning, signal };
  const asked = { objects, spec: collectorSpec(options) };
  try {
    for await (const answer of answersTo(asking, asked, () => result.missing)) result.take(answer);
  } catch (error) {
    throw (isOtherResource(error) ? await faultOf(asking, objects) : undefined) ?? error;
  }
  if (result.isEmpty && objects.name !== undefined) {
    const fault = await faultOf(asking, objects);
    if (fault !== undefined) throw fault;
  }
  result.end();
}
