import { expect, it } from 'vitest';
import {
  CANNOT_WRITE,
  discovery,
  LEFT,
  notChangedYet,
  notKnown,
  onlyForPolicies,
  problemsText,
} from '#local/binding-resolver/messages.ts';

const MAPS = notKnown('configmaps/v1', 'API server denies');
const JOBS = notKnown('jobs.batch/v1', 'not served');

it('the resolver of Bindings says what it waits for', () => {
  expect([
    discovery(),
    discovery('no answer'),
    problemsText([MAPS]),
    problemsText([MAPS, JOBS]),
    problemsText([MAPS, JOBS, JOBS]),
    onlyForPolicies([MAPS], ['a']),
    onlyForPolicies([MAPS, JOBS], ['a', 'b', 'c']),
    onlyForPolicies([MAPS], ['a', 'b', 'c', 'd']),
    onlyForPolicies([MAPS], ['a', 'b', 'c', 'd', 'e']),
  ]).toEqual([
    'discovery',
    'discovery: no answer',
    'configmaps/v1: API server denies',
    'configmaps/v1: API server denies, and 1 other resource',
    'configmaps/v1: API server denies, and 2 other resources',
    'configmaps/v1: API server denies (only for BindingPolicy a, which may select it; the other Bindings are written)',
    'configmaps/v1: API server denies, and 1 other resource (only for BindingPolicies a, b, c, which may select them; the other Bindings are written)',
    'configmaps/v1: API server denies (only for BindingPolicies a, b, c and 1 other, which may select it; the other Bindings are written)',
    'configmaps/v1: API server denies (only for BindingPolicies a, b, c and 2 others, which may select it; the other Bindings are written)',
  ]);
});

it('the resolver of Bindings says why a Binding is left as it is', () => {
  expect([
    LEFT.toKubeStellar,
    LEFT.toItsCreator,
    notChangedYet('batch/jobs'),
    CANNOT_WRITE,
  ]).toEqual([
    'BindingPolicy left to KubeStellar, which has put its finalizer there: remove the finalizer if KubeStellar is not installed anymore',
    'Binding not changed: it was created by hand; delete it to have it created from the BindingPolicy of its name',
    'Binding not changed for a while: batch/jobs is not served',
    'cannot write Binding',
  ]);
});
