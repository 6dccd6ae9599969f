import { assessPersistentVolumeClaim } from '#shared/core/health/persistent-volume-claim.ts';
import { badness, fieldsOf, witness } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/**
 * The rule for v1 PersistentVolumeClaims, over all qualified WECs.
 *
 * - `phase`: the worst in Argo CD's order (Bound, Pending, Lost, anything else), not left out where WECs differ: no
 *   phase is Unknown to Argo CD (V1, V3). A WEC that has returned nothing counts as Pending (V2). Of phases that Argo
 *   CD does not know, the first WEC's by name.
 * - Other fields (`capacity`, `accessModes`) are not aggregated: Argo CD does not read them.
 *
 * Where no WEC has returned a status there is no aggregate; API servers make a claim without a phase Pending.
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
  literal: ({ worst }) => worst,
});
