import { assessApiService } from '#shared/core/health/api-service.ts';
import { conditions } from '#shared/core/status/component.ts';
import { condition } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/**
 * The rule for apiregistration.k8s.io/v1 APIServices, over all qualified WECs: exactly the proposal. Argo CD's verdict
 * on it is always the worst of its verdicts on the WECs (docs/architecture.md, section 9.4).
 *
 * - `conditions` (Available): see `finishConditions`. A WEC without the entry counts as Unknown (A1: it waits to be
 *   processed, and so does the aggregate).
 *
 * The status has no other fields.
 */
export const apiServiceRule = kindRule({
  assess: assessApiService,
  readsGeneration: false,
  components: { conditions: conditions() },
  documentation: 'rules.md#apiservice',
  fields: { conditions: condition('conditions') },
  literal: ({ conditions: list }) => ({ conditions: list }),
});
