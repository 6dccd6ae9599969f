import { yamlLines } from '#console/model/yaml-lines.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';
import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';
import { collectorParts, columnName, combinedName, NO_NAMESPACE, type Query } from './query.ts';

const MAX_NAME = 253;

/** A name that an object may have (RFC 1123), made from a text. */
function objectName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'query' : name;
}

/** The name that the StatusCollector of a question gets: from its columns. */
export function collectorName(query: Query): string {
  const { select, groupBy, combined } = query;
  const keys = groupBy.map(columnName);
  if (keys.length > 0 || combined.length > 0)
    return objectName(
      [...combined.slice(0, 1).map(combinedName), ...(keys.length > 0 ? ['by', ...keys] : [])].join(
        '-',
      ),
    );
  return objectName(select.slice(0, 2).map(columnName).join('-'));
}

/** The StatusCollector that computes the same for good, as YAML. */
export function collectorYaml(query: Query): string {
  const limit = Number(query.limit) || MAX_QUERY_LIMIT;
  const object = {
    ...{ apiVersion: CONTROL_API_VERSION, kind: 'StatusCollector' },
    metadata: { name: collectorName(query) },
    spec: { ...collectorParts(query).spec, limit },
  };
  return `${yamlLines(object).join('\n')}\n`;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** A text as an argument of a shell (POSIX). */
function quoted(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function objectsText({ resource, name }: Query): string {
  return `${resource.trim()}${name.trim() === '' ? '' : `/${name.trim()}`}`;
}

/** The command that asks the same. */
export function commandText(query: Query): string {
  const { namespace, labels, filter, select, groupBy, combined, limit } = query;
  const objects = objectsText(query);
  const place =
    namespace === '' ? ['-A'] : namespace === NO_NAMESPACE ? [] : ['-n', quoted(namespace)];
  const options: readonly (readonly [string, string])[] = [
    ...(labels.trim() === '' ? [] : [['-l', labels.trim()] as const]),
    ...(filter.trim() === '' ? [] : [['--filter', filter.trim()] as const]),
    ...select.map((line) => ['--select', `${columnName(line)}=${line.def.trim()}`] as const),
    ...groupBy.map((line) => ['--group-by', `${columnName(line)}=${line.def.trim()}`] as const),
    ...combined.map((line) => {
      const subject = line.type === 'COUNT' ? '' : `=${line.subject.trim()}`;
      return [`--${line.type.toLowerCase()}`, `${combinedName(line)}${subject}`] as const;
    }),
    ...(limit.trim() === '' ? [] : [['--limit', limit.trim()] as const]),
  ];
  const head = ['starfold query', ...(objects === '' ? [] : [quoted(objects)]), ...place].join(' ');
  return [head, ...options.map(([option, text]) => `  ${option} ${quoted(text)}`)].join(' \\\n');
}
