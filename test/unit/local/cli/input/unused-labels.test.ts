import { expect, it } from 'vitest';
import { documentIn, STANDARD_INPUT } from '#local/cli/input/document-messages.ts';
import { aboutObject, NOT_A_TEXT, NOT_LABELS, unseenLabels } from '#local/cli/input/messages.ts';
import { INVENTORY_EXCESS } from '#shared/core/wec-inventory.ts';
import { starfold } from '#test/unit/local/cli/command.ts';

/** What is printed about the ManagedCluster. */
function notice(text: string): string {
  const location = documentIn(STANDARD_INPUT, 1);
  return `starfold: ${aboutObject({ location, title: 'ManagedCluster edge1' }, text)}`;
}

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
      notice(`metadata.${field}: ${NOT_A_TEXT}`),
    ),
  );
  expect(notices('labels: [a]')).toEqual([notice(`metadata.labels: ${NOT_LABELS}`)]);
});

it('eval names what is beyond the limits of the labels and annotations of a WEC', () => {
  const entries = Array.from({ length: 501 }, (_, index) => `k${index + 1000}: x`).join(', ');
  expect(notices(`labels: {${entries}}`)).toEqual([
    notice(unseenLabels(INVENTORY_EXCESS, 1, 'k1500')),
  ]);
  expect(notices(`annotations: {owner: ${'x'.repeat(9_000)}}`)).toEqual([
    notice(unseenLabels(INVENTORY_EXCESS, 1, 'owner')),
  ]);
});
