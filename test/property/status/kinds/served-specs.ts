import type { JsonObject } from '#shared/core/json.ts';

const LABELS = { app: 'web' };
const CONTAINERS = [{ name: 'c', image: 'example.com/web:v1' }];

/** What API servers want of pods. */
export const POD_SPEC: JsonObject = { containers: CONTAINERS };
/** What they want of a selector of pods. */
export const SELECTOR: JsonObject = { matchLabels: LABELS };
/** What they want of a kind that makes pods by a template and finds them by labels. */
export const SELECTING: JsonObject = {
  selector: SELECTOR,
  template: { metadata: { labels: LABELS }, spec: POD_SPEC },
};
/** What they want of a template of pods that end. */
export const ENDING: JsonObject = {
  template: { spec: { restartPolicy: 'Never', ...POD_SPEC } },
};
