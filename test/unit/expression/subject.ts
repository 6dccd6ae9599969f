import { compile } from '#shared/core/expression/compile.ts';
import type { Activation, Budget, Evaluation } from '#shared/core/expression/expression.ts';
import { type JsonObject, parseJson, stringifyJson } from '#shared/core/json.ts';

function parseObject(text: string): JsonObject {
  return parseJson(text) as JsonObject; // the texts below are objects
}

/** What the expressions of these tests are evaluated on: one Deployment in one WEC, and members of every JSON type. */
export const ACTIVATION: Activation = {
  inventory: { name: 'edge1' },
  obj: parseObject(`{
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
      "name": "web",
      "namespace": "ns",
      "generation": 7,
      "labels": {"app": "web", "constructor": "c", "a": "x", "b": "y", "tier": null}
    },
    "spec": {
      "replicas": 3,
      "f": 1.5,
      "whole": 2.0,
      "big": 9223372036854775807,
      "p53": 9007199254740993,
      "huge": 1e30,
      "list": [1, 2, 3],
      "mixed": [1, "a", 2.5, null, true],
      "empty": [],
      "containers": [
        {"name": "c1", "image": "nginx:1.2", "ports": [80]},
        {"name": "c2", "image": "redis", "ports": []}
      ]
    },
    "t": "2024-05-06T07:08:09Z",
    "nul": null,
    "s": "h\u00e9llo\u{1F600}",
    "num": "12",
    "neg": -5,
    "zero": 0,
    "yes": true,
    "aaa": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"
  }`),
  returned: parseObject(`{
    "phase": "Running",
    "replicas": 3,
    "readyReplicas": 2,
    "conditions": [
      {"type": "Ready", "status": "True", "lastTransitionTime": "2024-05-06T07:08:09Z"},
      {"type": "Available", "status": "False"}
    ],
    "constructor": "k",
    "__proto__": "p"
  }`),
  propagation: { lastReturnedUpdateTimestamp: '2026-01-02T03:04:05.123456789Z' },
};

/** A budget that no reasonable expression exceeds. */
export function ampleBudget(): Budget {
  return { remaining: 100_000, exceeded: false };
}

/** An evaluation in one line: `int 3`, `string web`, `list [1,2]`, `error no such key: x`. */
export function evaluationText(evaluation: Evaluation): string {
  if (!evaluation.ok) return `error ${evaluation.error}`;
  const { value } = evaluation;
  if (value.type === 'null') return 'null';
  if (value.type === 'list' || value.type === 'map')
    return `${value.type} ${stringifyJson(value.value)}`;
  return `${value.type} ${Object.is(value.value, -0) ? '-0' : String(value.value)}`;
}

/** What an expression gives in one line; `rejected`, where and why, for one that does not compile. */
export function outcome(text: string, activation: Activation = ACTIVATION): string {
  const compilation = compile(text);
  if (compilation.ok)
    return evaluationText(compilation.program.evaluate(activation, ampleBudget()));
  const [error] = compilation.errors;
  return `rejected ${error?.code} ${error?.line}:${error?.column} ${error?.message}`;
}
