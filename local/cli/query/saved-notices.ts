import { SAVED } from './messages.ts';
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
  const { limit, select = [] } = options;
  const isGrouped = groupColumns(options) !== undefined;
  const namesWecs = select.some(({ def }) => def.includes('inventory.name'));
  return [
    SAVED.selects(selectionText(text, options)),
    ...(isGrouped ? [SAVED.groups] : []),
    SAVED.limit(limit),
    ...(isGrouped || namesWecs ? [] : [SAVED.noWec]),
  ];
}
