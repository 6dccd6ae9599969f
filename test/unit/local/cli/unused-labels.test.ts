import { expect, it } from 'vitest';
import { starfold } from './command.ts';

/** What is printed about a ManagedCluster with this metadata, besides its name. */
function notices(metadata: string): readonly string[] {
  const cluster = `apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: edge1, ${metadata}}
`;
  const { err } = starfold(['eval', '-f', '-'], cluster);
  return err.split('\n').filter((line) => line.includes('ManagedCluster'));
}

it('eval has no notice about labels and annotations that are used', () => {
  expect(notices('labels: {region: eu}, annotations: {owner: a}')).toEqual([]);
  expect(notices('annotations: {kubectl.kubernetes.io/last-applied-configuration: "x"}')).toEqual(
    [],
  );
});

it('eval names the labels and annotations that are no texts', () => {
  const told = notices('labels: {zone: 7, region: eu, edge: true}, annotations: {owner: null}');
  expect(told).toEqual(
    ['labels[zone]', 'labels[edge]', 'annotations[owner]'].map((field) =>
      expect.stringMatching(
        `ManagedCluster edge1: metadata\\.${field.replace(/[[\]]/g, '\\$&')}: it is not a text, and does not count: write it in quotes`,
      ),
    ),
  );
  expect(notices('labels: [a]')).toEqual([
    expect.stringContaining('edge1: metadata.labels: they are not a mapping of texts'),
  ]);
});

it('eval names what is beyond the limits of the labels and annotations of a WEC', () => {
  const entries = Array.from({ length: 501 }, (_, index) => `k${index + 1000}: x`).join(', ');
  expect(notices(`labels: {${entries}}`)).toEqual([
    expect.stringMatching(
      /edge1: its labels and annotations are more than 500 or take more than 8192 bytes as JSON: StatusCollectors do not see 1 of them, such as k1500/,
    ),
  ]);
  expect(notices(`annotations: {owner: ${'x'.repeat(9_000)}}`)).toEqual([
    expect.stringMatching(/StatusCollectors do not see 1 of them, such as owner/),
  ]);
});
