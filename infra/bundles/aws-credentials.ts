import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands for `@aws-sdk/credential-provider-node` in the bundles (infra/esbuild.yml). Lambda gives a function the credentials
 * of its role in environment variables, which the SDK's own provider reads first; the rest of that chain (profiles, SSO,
 * web identity, instance metadata) would be 140 kB of each bundle.
 */
export const defaultProvider = fromEnv;
