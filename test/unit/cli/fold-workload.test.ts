import { expect, it } from 'vitest';
import { contentOf } from '#functions/cli/fold-workload.ts';
import { at } from '#shared/core/json.ts';

it.each([
  { what: 'none where each write of its status is one', subresource: '', generation: undefined },
  { what: 'its own where the status is a subresource', subresource: 'status', generation: 7 },
])('the generation of an object that is evaluated is $what', ({ subresource, generation }) => {
  const fieldsV1 = { 'f:status': { 'f:phase': {} } };
  const managedFields = [{ manager: 'starfold', operation: 'Update', subresource, fieldsV1 }];
  const metadata = { name: 'g', namespace: 'n', uid: 'u', generation: 7, managedFields };
  const object = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata };
  const named = { group: 'example.com', kind: 'Gadget', namespace: 'n', name: 'g' };
  const content = contentOf({ place: 'file', title: 'Gadget n/g', ...named, object });
  expect(at(content, 'metadata', 'generation')).toBe(generation);
  expect(at(content, 'metadata', 'uid')).toBe('u');
});
