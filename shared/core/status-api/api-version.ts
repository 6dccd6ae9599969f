/** The API version of what Starfold reports about statuses. */
export const API_VERSION = 'status.starfold.dev/v1alpha1';
