import { expect, it } from 'vitest';
import {
  FLEET_FAULTS,
  NO_FLEET_NAMESPACE,
  noDeployment,
  nothingBelow,
  notListed,
  STATUS_KEPT,
} from '#local/cli/input/fleet-messages.ts';

it("says what is wrong with Fleet's objects that are given", () => {
  expect([
    NO_FLEET_NAMESPACE,
    STATUS_KEPT,
    nothingBelow('ClusterGroup'),
    nothingBelow('Bundle'),
    noDeployment('ns/c'),
    notListed('ns/c'),
    ...Object.values(FLEET_FAULTS),
  ]).toEqual([
    "metadata.namespace is missing: Fleet's objects have one; give the object as kubectl get -o yaml prints it",
    'its status is kept unchanged: it is being deleted, is not accepted, or has no spec.repo',
    'no Cluster that it selects is given: its status says that there is none; add them with -f',
    'no BundleDeployment and no target of it is given: its status says that there is none; add them with -f',
    '--wec ns/c: no BundleDeployment that is given belongs to Cluster ns/c: ignored; its labels fleet.cattle.io/cluster-namespace and fleet.cattle.io/cluster name its Cluster',
    'no BundleDeployment in Cluster ns/c lists this object in status.resources: ignored',
    'must be a string; put it in quotes',
    'must be an object of strings',
    'must be a string; put "True" in quotes',
    'must be true or false',
    'must be an integer',
    'must be an object of integers',
    'must be an object',
    'must be a list of objects',
    'must be a time of RFC 3339, such as 2026-11-21T12:00:00Z',
  ]);
});
