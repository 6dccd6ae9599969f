import type { ComponentType } from 'react';
import type { JsonValue } from '#shared/core/json.ts';

/** What Argo CD passes to a tab. Its objects are plain JSON. */
export interface TabProps {
  readonly resource?: JsonValue | undefined;
  readonly application?: JsonValue | undefined;
}

declare global {
  interface Window {
    readonly extensionsAPI: {
      /** Patterns of minimatch select groups and kinds. */
      registerResourceExtension(
        component: ComponentType<TabProps>,
        group: string,
        kind: string,
        ...more: readonly [title: string, options: { readonly icon: string }]
      ): void;
    };
    readonly starfoldSettings?: unknown;
  }
}
