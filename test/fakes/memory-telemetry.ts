import type { CountName, Telemetry, WorkloadGauge } from '#shared/ports/telemetry.ts';

/** A line of the log. */
export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Telemetry that is kept in memory. */
export interface MemoryTelemetry extends Telemetry {
  /** What was counted, by name, summed. */
  readonly counts: Partial<Record<CountName, number>>;
  /** Times from change to WDS, in milliseconds. */
  readonly times: number[];
  /** Gauges of workload objects, in the order of their publication. */
  readonly gauges: WorkloadGauge[];
  readonly lines: LoggedLine[];
}

/** Telemetry in memory, for tests of what is told. */
export function createMemoryTelemetry(): MemoryTelemetry {
  const counts: Partial<Record<CountName, number>> = {};
  const times: number[] = [];
  const gauges: WorkloadGauge[] = [];
  const lines: LoggedLine[] = [];
  const log = (level: LoggedLine['level']) => (message: string, fields: LoggedLine['fields']) =>
    void lines.push({ level, message, fields });
  return {
    counts,
    times,
    gauges,
    lines,
    count: (name, value = 1) => {
      counts[name] = (counts[name] ?? 0) + value;
    },
    changeToWds: (milliseconds) => void times.push(milliseconds),
    workloads: (gauge) => void gauges.push(gauge),
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
  };
}
