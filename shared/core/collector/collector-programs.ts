import type { Program } from '#shared/core/expression/expression.ts';
import type { CompiledCollector, CompiledColumn } from './compiled-collector.ts';

/** An expression of a collector, and its place in the StatusCollector. */
export interface CollectorProgram {
  /** `spec.filter`, `spec.select[0].def`, `spec.groupBy[0].def`, `spec.combinedFields[0].subject`. */
  readonly path: string;
  readonly program: Program;
}

function columns(path: string, list: readonly CompiledColumn[]): readonly CollectorProgram[] {
  return list.map(({ program }, index) => ({ path: `${path}[${index}].def`, program }));
}

/** All expressions of a collector, in the order of its spec. */
export function collectorPrograms(collector: CompiledCollector): readonly CollectorProgram[] {
  const { filter } = collector;
  const filters = filter === undefined ? [] : [{ path: 'spec.filter', program: filter }];
  if (collector.kind === 'select')
    return [...filters, ...columns('spec.select', collector.columns)];
  const subjects = collector.combinedFields.flatMap(({ subject }, index) =>
    subject === undefined
      ? []
      : [{ path: `spec.combinedFields[${index}].subject`, program: subject }],
  );
  return [...filters, ...columns('spec.groupBy', collector.groupBy), ...subjects];
}
