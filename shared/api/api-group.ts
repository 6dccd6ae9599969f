/** The API group that Starfold serves. */
export const GROUP = 'status.starfold.dev';
/** The version of {@link GROUP}. */
export const VERSION = 'v1alpha1';
/** `apiVersion` of everything in {@link GROUP}. */
export const API_VERSION = `${GROUP}/${VERSION}`;
