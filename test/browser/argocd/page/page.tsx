// Argo CD's page, as far as a tab can see it (Argo CD 3.6, ui/src/app: index.tsx, shared/services/extensions-service.ts,
// applications/components/resource-details): React as a global variable, the registration, and the tabs of one object.
import minimatch from 'minimatch';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import type { TabProps } from '#extensions/argocd/page.d.ts';

interface Extension {
  readonly component: React.ComponentType<TabProps>;
  readonly group: string;
  readonly kind: string;
  readonly title: string;
}

interface Shown extends TabProps {
  readonly theme: 'light' | 'dark';
  /** The title of the tab that is open. */
  readonly tab: string;
}

const extensions: Extension[] = [];

function textAt(value: unknown, ...path: readonly string[]): string {
  const found = path.reduce<unknown>(
    (one, key) => (one as Record<string, unknown> | undefined)?.[key],
    value,
  );
  return typeof found === 'string' ? found : '';
}

function tabsOf({ resource }: TabProps): readonly Extension[] {
  const apiVersion = textAt(resource, 'apiVersion');
  const group = apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '';
  const kind = textAt(resource, 'kind');
  return extensions.filter((one) => minimatch(group, one.group) && minimatch(kind, one.kind));
}

class Boundary extends React.Component<{ readonly children: React.ReactNode }> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    return this.state.failed ? <h1>Something went wrong with Extension</h1> : this.props.children;
  }
}

function Page({ shown, show }: { shown: Shown; show: (change: Partial<Shown>) => void }) {
  const { resource, application, theme, tab } = shown;
  const tabs = tabsOf({ resource });
  const open = tabs.find(({ title }) => title === tab);
  return (
    <div className={`theme-${theme}`}>
      <nav>
        {['Summary', ...tabs.map(({ title }) => title)].map((title) => (
          <button key={title} type="button" onClick={() => show({ tab: title })}>
            {title}
          </button>
        ))}
      </nav>
      <main>
        <Boundary>
          {open ? <open.component {...{ resource, application }} /> : <p>Summary of the object</p>}
        </Boundary>
      </main>
    </div>
  );
}

const root = createRoot(document.getElementById('app') as HTMLElement);
let shown: Shown = { theme: 'light', tab: 'WECs' };
function show(change: Partial<Shown>): void {
  shown = { ...shown, ...change };
  root.render(<Page shown={shown} show={show} />);
}

Object.assign(window, {
  React,
  extensionsAPI: {
    registerResourceExtension: (
      component: Extension['component'],
      ...[group, kind, title]: readonly [string, string, string]
    ) => extensions.push({ component, group, kind, title }),
  },
  // What a test may do: what Argo CD does when it reads the object again, and what its user does.
  standIn: { show },
});
