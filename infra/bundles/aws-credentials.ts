import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles (infra/esbuild.yml). Lambda gives a function the credentials
 * of its role in environment variables, which the SDK's own provider reads first. The rest of that chain (profiles, SSO,
 * web identity, instance metadata) would add 140 kB to each bundle.
 */
export const defaultProvider = fromEnv;
