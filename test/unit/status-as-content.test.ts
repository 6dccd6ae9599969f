import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#shared/core/json.ts';
import { hasStatusAsContent } from '#shared/core/status-as-content.ts';

const object = (managedFields?: JsonValue) => ({
  apiVersion: 'example.org/v1',
  kind: 'Gadget',
  metadata: { name: 'g', ...(managedFields === undefined ? {} : { managedFields }) },
});
const ofSpec = { manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } };
const ofStatus = {
  manager: 'starfold',
  operation: 'Update',
  fieldsV1: { 'f:status': { 'f:phase': {} } },
};

describe('a kind whose status is content like any other', () => {
  it.each([
    { what: 'was written like the spec', managedFields: [ofSpec, ofStatus], told: true },
    {
      what: 'was written like the spec, as an older API server says it',
      managedFields: [{ ...ofStatus, subresource: '' }],
      told: true,
    },
    {
      what: 'was written through the subresource',
      managedFields: [ofSpec, { ...ofStatus, subresource: 'status' }],
      told: false,
    },
    { what: 'was never written', managedFields: [ofSpec], told: false },
    { what: 'has no owner', managedFields: [], told: false },
    { what: 'has owners that are none', managedFields: 'x', told: false },
    { what: 'is of an object without owners', managedFields: undefined, told: false },
  ])('is shown by a status that $what: $told', ({ managedFields, told }) => {
    expect(hasStatusAsContent(object(managedFields))).toBe(told);
  });
});
