import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '#functions/event-forwarder/program/metrics.ts';
import { createStackMetrics } from '#local/start/metrics.ts';
import { ARGO_CD_ORDER, NO_VERDICT } from '#shared/core/health/verdict.ts';

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
  readonly fieldConfig: { readonly overrides: readonly { matcher: { options: string } }[] };
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
}

// The file is checked by what it is asked for.
const dashboard = JSON.parse(
  readFileSync('docs/examples/grafana/starfold.json', 'utf8'),
) as Dashboard;
const variables = dashboard.templating.list.map(({ query }) => JSON.stringify(query));
const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The labels of each metric that a process serves, by name. */
const served = new Map<string, ReadonlySet<string>>();

/** What Prometheus adds to each series. */
const ADDED = ['instance', 'job'];

beforeAll(async () => {
  const stack = createStackMetrics({
    wds: 'wds1',
    stack: {
      backlog: async () => ({ events: 0, 'events-dlq': 0 }),
      silentSince: async () => new Map(),
      countSetAside: async () => 0,
      countWorkloads: async () => [{ resource: 'services', verdict: 'None', objects: 1 }],
    },
    onError: () => undefined,
    clock: () => 0,
  });
  const forwarder = createMetrics({
    status: () => ({ stopping: false, identity: 'pod-1', configured: [] }),
    clock: () => 0,
  });
  for (const text of [await stack.metrics(), (await forwarder.text()).text])
    for (const [, name = '', labels = ''] of text.matchAll(/^(starfold_\w+)(?:\{(.*)\})? /gm))
      served.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
});

describe('the dashboard for Grafana', () => {
  it('names only metrics that a process serves', () => {
    const named = [...expressions, ...variables].flatMap((one) => one.match(/starfold_\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !served.has(name))).toEqual([]);
  });

  it('names only labels that the metric has', () => {
    for (const expr of expressions)
      for (const [, name = '', matchers = ''] of expr.matchAll(/(starfold_\w+)(?:\{([^}]*)\})?/g)) {
        const matched = [...matchers.matchAll(/(\w+)(?:=|!)/g)].map(([, label = '']) => label);
        const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
        const known = new Set([...(served.get(name) ?? []), ...ADDED]);
        expect({
          expr,
          unknown: [...matched, ...grouped].filter((one) => !known.has(one)),
        }).toEqual({
          expr,
          unknown: [],
        });
      }
  });

  it('gives each verdict a colour', () => {
    const panel = dashboard.panels.find(({ title }) => title === 'Workload objects by verdict');
    expect(panel?.fieldConfig.overrides.map(({ matcher }) => matcher.options)).toEqual([
      ...ARGO_CD_ORDER,
      NO_VERDICT,
    ]);
  });
});
