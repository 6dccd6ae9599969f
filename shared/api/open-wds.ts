import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { User } from './api-request.ts';

/** A WDS that allows everything to everybody: for readers who have the state itself, and for the demo. */
export const OPEN_WDS: Pick<ObjectApi, 'create'> = {
  create: async (_ref, review) => ({ ...review, status: { allowed: true } }),
};

/** The user of an API over {@link OPEN_WDS}. */
export const ANYBODY: User = { username: 'anybody', uid: '', groups: [], extra: {} };
