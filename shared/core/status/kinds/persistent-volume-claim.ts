import { assessPersistentVolumeClaim } from '#shared/core/health/persistent-volume-claim.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { oneWec } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/**
 * The rule for v1 PersistentVolumeClaims, over all qualified WECs.
 *
 * - `phase`: the worst in Argo CD's order (Bound, Pending, Lost, anything else). It is not left out if WECs differ,
 *   because Argo CD calls a claim without a phase Unknown (V1, V3). A WEC that has returned nothing counts as Pending
 *   (V2). Among phases that Argo CD does not know, the one of the first WEC by name.
 * - Other fields (`capacity`, `accessModes`) are not aggregated, because Argo CD does not read them.
 *
 * If no WEC has returned a status, there is no aggregate. API servers make a claim without a phase Pending.
 */
export const persistentVolumeClaimRule = kindRule({
  assess: assessPersistentVolumeClaim,
  readsGeneration: false,
  missingStatus: { phase: 'Pending' },
  components: {
    worst: witness(
      ({ verdict }) => [badness(verdict)],
      ({ status }) => fieldsOf(status, 'phase'),
    ),
  },
  documentation: 'rules.md#persistentvolumeclaim',
  fields: { phase: oneWec('worst') },
  literal: ({ worst }) => worst,
});
