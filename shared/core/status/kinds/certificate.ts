import { assessCertificate, isIssuing } from '#shared/core/health/certificate.ts';
import {
  conditions,
  deciding,
  minimum,
  time,
  withDeciding,
} from '#shared/core/status/component.ts';
import { condition, departing, lowest } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import { earlierTime } from '#shared/core/status/time-order.ts';

/**
 * The rule for cert-manager's Certificates, over all qualified WECs: exactly the proposal. If Argo CD's verdict on it
 * would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), one field is changed:
 *
 * - `Issuing`: True if any WEC says so, with its reason. cert-manager removes the entry when the certificate has been
 *   issued. Beside WECs without the entry, it would be Unknown, and the aggregate Healthy or Degraded while a WEC waits
 *   (I1, I2).
 *
 * The proposal does not define times. `notAfter` and `renewalTime` are the earliest: users look for the certificate that
 * expires first. A WEC without a certificate has no times, and its Ready says so. `notBefore`, `lastFailureTime` and
 * `nextPrivateKeySecretName` are not aggregated, because Argo CD does not read them.
 *
 * Each type of condition has one entry, because the list is a map by `type` in cert-manager's
 * CustomResourceDefinition.
 */
export const certificateRule = kindRule({
  assess: assessCertificate,
  readsGeneration: false,
  components: {
    revision: minimum('revision'),
    attempts: minimum('failedIssuanceAttempts'),
    notAfter: time('notAfter', earlierTime),
    renewalTime: time('renewalTime', earlierTime),
    conditions: conditions(),
    issuing: deciding('Issuing', isIssuing),
  },
  documentation: 'rules.md#certificate',
  fields: {
    revision: lowest('revision'),
    failedIssuanceAttempts: lowest('attempts'),
    notAfter: { letter: { rule: 'earliest', from: ['notAfter'] } },
    renewalTime: { letter: { rule: 'earliest', from: ['renewalTime'] } },
    'conditions[Issuing]': {
      ...condition('conditions'),
      ...departing('deciding-entry', 'conditions', 'issuing'),
    },
    conditions: condition('conditions'),
  },
  literal: ({ revision, attempts, notAfter, renewalTime, conditions: list }) => ({
    revision,
    failedIssuanceAttempts: attempts,
    notAfter,
    renewalTime,
    conditions: list,
  }),
  departure({ conditions: list, issuing }, { worst }) {
    if (worst !== 'Progressing') return {};
    return { conditions: withDeciding(list, issuing, { status: 'True' }) };
  },
});
