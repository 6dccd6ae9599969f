import type { ComponentChildren } from 'preact';
import {
  type CombinedLine,
  columnName,
  combinedName,
  EMPTY,
  type NamedLine,
  NO_NAMESPACE,
  type Query,
} from '#console/model/query/query.ts';
import { AGGREGATIONS } from '#shared/core/collector/aggregator.ts';
import { DEFAULT_QUERY_LIMIT } from '#shared/core/limits.ts';
import { CelField } from '../parts/cel-field.tsx';
import { FaultLines } from '../parts/fault-lines.tsx';
import { known, presentNamespaces, presentResources } from './query-known.ts';
import { edit, query } from './query-state.ts';
import { faultsOf, idOf, TextField } from './query-text-field.tsx';

function Section({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="sec" role="group" aria-label={label}>
      <span class="lab" aria-hidden="true">
        {label}
      </span>
      <div>{children}</div>
    </div>
  );
}

interface WorkloadField {
  readonly field: 'resource' | 'namespace' | 'name' | 'labels';
  readonly label: string;
  readonly placeholder: string;
  readonly options?: readonly string[];
}

/** The fields that say which objects are asked about. */
function workloadFields(): readonly WorkloadField[] {
  const resources = [...presentResources.value].toSorted();
  const namespaces = [...presentNamespaces.value, NO_NAMESPACE];
  return [
    {
      field: 'resource',
      label: 'Resource and group',
      placeholder: 'any resource',
      options: resources,
    },
    {
      field: 'namespace',
      label: 'Namespace; - for objects without one',
      placeholder: 'all namespaces',
      options: namespaces,
    },
    { field: 'name', label: 'Name', placeholder: 'any name' },
    { field: 'labels', label: 'Label selector', placeholder: 'any labels' },
  ];
}

function Workloads() {
  return (
    <Section label="workloads">
      <div class="ln four">
        {workloadFields().map((shown) => (
          <TextField
            key={shown.field}
            {...shown}
            value={query.value[shown.field]}
            onInput={(text) => edit({ [shown.field]: text })}
          />
        ))}
      </div>
    </Section>
  );
}

function changed<Line>(lines: readonly Line[], at: number, change: Partial<Line>): readonly Line[] {
  return lines.map((line, index) => (index === at ? { ...line, ...change } : line));
}

function without<Line>(lines: readonly Line[], at: number): readonly Line[] {
  return lines.filter((_line, index) => index !== at);
}

function Remove({ what, onClick }: { readonly what: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="ib rm" aria-label={`Remove ${what}`} onClick={onClick}>
      <span aria-hidden="true">×</span>
    </button>
  );
}

function Add({ what, onClick }: { readonly what: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="add" onClick={onClick}>
      + {what}
    </button>
  );
}

function NamedLines({
  list,
  label,
  what,
}: {
  readonly list: 'select' | 'groupBy';
  readonly label: string;
  readonly what: string;
}) {
  const lines = query.value[list];
  const set = (next: readonly NamedLine[]): void => edit({ [list]: next } as Partial<Query>);
  return (
    <Section label={label}>
      {lines.map((line, index) => (
        // Lines have no name but their place.
        <div class="ln" key={index}>
          <TextField
            field={`${list}.${index}.name`}
            label={`Name of ${what} ${index + 1}`}
            placeholder={line.def.trim() === '' ? 'name' : columnName({ ...line, name: '' })}
            value={line.name}
            onInput={(name) => set(changed(lines, index, { name }))}
          />
          <CelField
            id={idOf(`${list}.${index}.def`)}
            label={`Expression of ${what} ${index + 1}`}
            placeholder="returned.status."
            value={line.def}
            faults={faultsOf(`${list}.${index}.def`)}
            known={known.value}
            onInput={(def) => set(changed(lines, index, { def }))}
          />
          <Remove what={`${what} ${index + 1}`} onClick={() => set(without(lines, index))} />
        </div>
      ))}
      <Add what={what} onClick={() => set([...lines, { name: '', def: '' }])} />
    </Section>
  );
}

function Aggregate({
  line,
  index,
  onChange,
}: {
  readonly line: CombinedLine;
  readonly index: number;
  readonly onChange: (change: Partial<CombinedLine>) => void;
}) {
  return (
    <div class="agg">
      <select
        aria-label={`Aggregation of column ${index + 1}`}
        value={line.type}
        onChange={(event) => onChange({ type: event.currentTarget.value as CombinedLine['type'] })}
      >
        {AGGREGATIONS.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      {line.type === 'COUNT' ? (
        <span class="dim">rows</span>
      ) : (
        <CelField
          id={idOf(`combined.${index}.subject`)}
          label={`Expression of aggregated column ${index + 1}`}
          placeholder="returned.status."
          value={line.subject}
          faults={faultsOf(`combined.${index}.subject`)}
          known={known.value}
          onInput={(subject) => onChange({ subject })}
        />
      )}
    </div>
  );
}

function Combined() {
  const lines = query.value.combined;
  const set = (combined: readonly CombinedLine[]): void => edit({ combined });
  return (
    <Section label="combine">
      {lines.map((line, index) => (
        // Lines have no name but their place.
        <div class="ln" key={index}>
          <TextField
            field={`combined.${index}.name`}
            label={`Name of aggregated column ${index + 1}`}
            placeholder={combinedName({ ...line, name: '' })}
            value={line.name}
            onInput={(name) => set(changed(lines, index, { name }))}
          />
          <Aggregate
            line={line}
            index={index}
            onChange={(change) => set(changed(lines, index, change))}
          />
          <Remove
            what={`aggregated column ${index + 1}`}
            onClick={() => set(without(lines, index))}
          />
        </div>
      ))}
      <Add
        what="aggregated column"
        onClick={() =>
          set([...lines, { name: '', type: lines.length === 0 ? 'COUNT' : 'SUM', subject: '' }])
        }
      />
    </Section>
  );
}

/** The parts of a StatusCollector, and which objects are asked about. */
export function QueryEditor() {
  const { filter, limit } = query.value;
  const whole = faultsOf('');
  return (
    <div class="ed">
      <Workloads />
      <Section label="filter">
        <div class="ln one">
          <CelField
            id={idOf('filter')}
            label="Filter"
            placeholder="all rows"
            value={filter}
            faults={faultsOf('filter')}
            known={known.value}
            onInput={(text) => edit({ filter: text })}
          />
        </div>
      </Section>
      <NamedLines list="select" label="select" what="column" />
      <NamedLines list="groupBy" label="group by" what="key" />
      <Combined />
      <Section label="limit">
        <div class="ln one">
          <TextField
            field="limit"
            label="The most rows of an answer"
            placeholder={String(DEFAULT_QUERY_LIMIT)}
            value={limit}
            onInput={(text) => edit({ limit: text })}
          />
        </div>
      </Section>
      {whole.length > 0 && (
        <div class="sec whole">
          <FaultLines id="q" value="" faults={whole} onTake={() => undefined} />
        </div>
      )}
      <div class="sec whole">
        <button type="button" class="add" onClick={() => edit(EMPTY)}>
          clear
        </button>
      </div>
    </div>
  );
}
