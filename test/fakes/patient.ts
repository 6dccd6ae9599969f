/** Options of an AWS client whose server runs in the same process. No test fails because a machine is busy. */
export const PATIENT = {
  connectionTimeout: 60_000,
  requestTimeout: 120_000,
  throwOnRequestTimeout: true,
} as const;
