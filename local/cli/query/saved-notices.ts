import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';
import type { QueryCommand } from './run.ts';
import { groupColumns } from './spec.ts';

/** The arguments that select objects, as the user has written them. */
function selectionText(
  text: string | undefined,
  { namespace, allNamespaces, selector }: QueryCommand,
): string {
  return [
    ...(text === undefined ? [] : [text]),
    ...(namespace === undefined ? [] : [`-n ${namespace}`]),
    ...(allNamespaces === true ? ['-A'] : []),
    ...(selector === undefined ? [] : [`-l ${selector}`]),
  ].join(' ');
}

/**
 * What a StatusCollector does not do as the query did that it is saved from.
 *
 * @param text the argument that names objects
 */
export function savedNotices(text: string | undefined, options: QueryCommand): readonly string[] {
  const selected = selectionText(text, options);
  const ofBinding = 'it computes this for each object of a BindingPolicy that names it';
  const { limit, select = [] } = options;
  const isGrouped = groupColumns(options) !== undefined;
  const namesWecs = select.some(({ def }) => def.includes('inventory.name'));
  return [
    selected === ''
      ? `the StatusCollector selects no objects: ${ofBinding}`
      : `the StatusCollector does not select ${selected}: ${ofBinding}`,
    ...(isGrouped
      ? ['the StatusCollector has the groups of each object alone, the query those of all objects']
      : []),
    limit === undefined
      ? `the StatusCollector has a limit of ${MAX_QUERY_LIMIT} rows for each object, the query none: --limit sets another one`
      : `--limit ${limit} is for each object in the StatusCollector, and for all objects in the query`,
    ...(isGrouped || namesWecs
      ? []
      : ['the rows of the StatusCollector do not name the WEC: add --select wec=inventory.name']),
  ];
}
