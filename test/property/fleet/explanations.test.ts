import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fleetTargets } from '#shared/core/desired/desired-fleet.ts';
import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import { explainFleetObject } from '#shared/core/explanation/fleet-explanation.ts';
import type {
  FleetDecider,
  FleetFieldExplanation,
} from '#shared/core/explanation/fleet-explanation-type.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { statusWith } from '#shared/core/fleet/desired-status.ts';
import { AGGREGATED_KINDS } from '#shared/core/fleet-object.ts';
import {
  at,
  equalJson,
  isArray,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';
import { NOW_MS } from './fleet-objects.ts';
import { fleets } from './fleet-world.ts';

/** Among so few targets, every choice of them is tried. */
const FEW = 4;

function valueAt(status: JsonObject, path: string): JsonValue | undefined {
  const [, type] = /^conditions\[(.*)\]$/.exec(path) ?? [];
  if (type === undefined) return at(status, ...path.split('.'));
  const { conditions } = status;
  return isArray(conditions) ? conditions.find((one) => member(one, 'type') === type) : undefined;
}

function isNamed(row: DeploymentRow, decider: FleetDecider): boolean {
  const { cluster, bundle, namespace, name } = row;
  const deployment = namespace === '' ? undefined : `${namespace}/${name}`;
  return (
    cluster === decider.wec && bundle === decider.bundle && deployment === decider.bundleDeployment
  );
}

type Gives = (rows: readonly DeploymentRow[]) => boolean;

/** The subsets of a few rows, the empty one first, without the one of all. */
function subsetsOf(rows: readonly DeploymentRow[]): readonly (readonly DeploymentRow[])[] {
  return Array.from({ length: 2 ** Math.min(rows.length, FEW) - 1 }, (_none, index) =>
    rows.filter((_row, place) => (index >> place) % 2 === 1),
  );
}

function wrongNames(
  rows: readonly DeploymentRow[],
  named: readonly FleetDecider[],
  gives: Gives,
): boolean {
  const chosen = rows.filter((row) => named.some((one) => isNamed(row, one)));
  return !gives(chosen) || chosen.length < named.length;
}

function wrongAll(rows: readonly DeploymentRow[], gives: Gives): boolean {
  return rows.length <= FEW && subsetsOf(rows).some((some) => some.length > 0 && gives(some));
}

function wrongField(
  rows: readonly DeploymentRow[],
  statusOf: (rows: readonly DeploymentRow[]) => JsonObject,
  { path, value, rule, decidedBy }: FleetFieldExplanation,
): readonly string[] {
  const gives: Gives = (some) => equalJson(valueAt(statusOf(some), path), value);
  if (!gives(rows)) return [`${path}: another value`];
  if (decidedBy === undefined)
    return subsetsOf(rows).every(gives) ? [] : [`${path} (${rule}): targets decide`];
  const named = decidedBy.flatMap((one) => ('wec' in one ? [one] : []));
  const isWrong =
    named.length > 0 ? wrongNames(rows, named, gives) : value !== 0 && wrongAll(rows, gives);
  return isWrong ? [`${path} (${rule}): ${JSON.stringify(decidedBy)}`] : [];
}

function wrongExplanations(objects: readonly FleetObject[], one: FleetObject): readonly string[] {
  const { rows, statusOf } = fleetTargets(objects, one, NOW_MS);
  const { fields, verdict, decision } = explainFleetObject({ objects, one, nowMs: NOW_MS });
  const desired = statusOf(rows);
  if (desired === undefined) return decision.action === 'Leave' && fields.length === 0 ? [] : ['?'];
  const stored = member(one.object, 'status');
  const status = (some: readonly DeploymentRow[]): JsonObject => {
    // Whether there is a status does not depend on the targets.
    const other = statusOf(some) as NonNullable<typeof desired>;
    return statusWith(stored, other, secondsText(NOW_MS));
  };
  const paths = fields.map(({ path }) => path);
  return [
    ...(verdict === undefined && rows.length > 0 ? ['no verdict'] : []),
    ...Object.keys(status(rows))
      .filter((name) => !paths.some((path) => path.startsWith(name)))
      .map((name) => `${name}: missing`),
    ...fields.flatMap((field) => wrongField(rows, status, field)),
  ];
}

it('the explanations of Fleet name for each field targets that give it alone, or all', () => {
  fc.assert(
    fc.property(fleets, (objects) => {
      for (const one of objects)
        if (AGGREGATED_KINDS.some((kind) => kind === one.kind))
          expect([one.kind, wrongExplanations(objects, one)]).toEqual([one.kind, []]);
    }),
    { numRuns: histories({ first: 20, all: 60 }) },
  );
});
