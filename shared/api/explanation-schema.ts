import type { JsonObject } from '#shared/core/json.ts';
import {
  integer,
  object,
  STATE,
  text,
  time,
  VERDICT as WEC_VERDICT,
  WORKLOAD,
} from './schema-parts.ts';
import type { ServedResource } from './served-resource.ts';

function yesOrNo(description: string): JsonObject {
  return { type: 'boolean', description };
}

function listOf(description: string, items: JsonObject): JsonObject {
  return { type: 'array', description, items };
}

function names(description: string): JsonObject {
  return listOf(description, { type: 'string' });
}

function anything(description: string): JsonObject {
  return { description, 'x-kubernetes-preserve-unknown-fields': true };
}

const DECISION = object('What happens to .status, and why.', {
  action: text(
    'Aggregate (of several WECs), Copy (of one), Clear (Starfold writes no status), or Leave (the object is not changed).',
  ),
  reason: text('Why.'),
  bindings: listOf(
    'The Bindings that count for the object.',
    object('A Binding.', {
      name: text('Name.'),
      singleton: yesOrNo('Whether it asks for the status of one WEC.'),
      multiWEC: yesOrNo('Whether it asks for the aggregate of all WECs.'),
      destinations: integer('The number of WECs to which it sends the object.'),
    }),
  ),
});

const WECS = object('What the qualified WECs have reported.', {
  qualified: integer('The number of WECs whose status is asked for.'),
  reported: integer('The number of those whose status counts.'),
  silent: names('Those that have sent no heartbeat for too long.'),
  missing: names('The others without a status that counts.'),
  tooLarge: names('The others whose status was too large to keep.'),
});

const VERDICT = object(
  "Argo CD's verdict on the object with this status. Absent if Argo CD does not judge the kind, or if there is no status.",
  {
    status: text('Healthy, Suspended, Progressing, Missing, Degraded or Unknown.'),
    message: text('Why.'),
    decidedBy: names('The first WECs, by name, with the worst verdict.'),
    others: {
      type: 'object',
      description: 'How many of the other WECs have each verdict.',
      additionalProperties: { type: 'integer', format: 'int64' },
    },
  },
);

const FIELD = object('A field of .status, or one that the aggregate leaves out.', {
  path: text('The name of the field in .status. A condition is conditions[<type>].'),
  value: anything('The value. Absent if the aggregate leaves the field out.'),
  omitted: yesOrNo('True if the aggregate leaves the field out.'),
  rule: text('The name of the rule that gives the value.'),
  documentation: text('Where the rule is documented.'),
  decidedBy: listOf(
    'The WECs that decide: they alone would give the same value.',
    object('A WEC that decides.', {
      wec: text('The name of the WEC. Absent if all decide together.'),
      value: anything('What it reports there. Absent if it reports nothing there.'),
      all: yesOrNo('True if all qualified WECs decide together.'),
    }),
  ),
  departs: text("Where the value departs from KubeStellar's proposal, and why."),
});

const DECIDER = object('A WEC that decides, and what is said about it.', {
  wec: text('The name of the WEC.'),
  state: STATE,
  health: WEC_VERDICT,
});

/** The schema of explanations. */
export const EXPLANATION_SCHEMA: ServedResource<unknown>['schema'] = {
  description:
    "Why the .status of one workload object is what it is: the decision, Argo CD's verdict, and each field with its rule and the WECs that decide it. Its name is <resource>[.<group>]:<object>. It can only be read.",
  properties: {
    workload: WORKLOAD,
    without: names('The WECs that were left out, if the question was what would be without them.'),
    decision: DECISION,
    wecs: WECS,
    verdict: VERDICT,
    fields: listOf('Every field of .status, sorted by path.', FIELD),
    deciders: listOf('The WECs that decide the verdict or a field, by name.', DECIDER),
    applied: object('Whether the WDS has the status.', {
      upToDate: yesOrNo('Whether it has.'),
      since: time('Since when it has. Absent if it is not known.'),
      problem: text('What stands in the way.'),
    }),
    refused: names('What the API server of the WDS has rejected, and why.'),
  },
};
