/**
 * The name in messages of an object that has not been validated: kind, namespace and name after a comma. `''` if it has
 * no kind or no name.
 *
 * @param field the value of a field of the object, by its path
 */
export function objectTitle(field: (...path: readonly string[]) => unknown): string {
  const kind = field('kind');
  const name = field('metadata', 'name');
  if (typeof kind !== 'string' || typeof name !== 'string') return '';
  const namespace = field('metadata', 'namespace');
  return `, ${kind} ${typeof namespace === 'string' ? `${namespace}/` : ''}${name}`;
}
