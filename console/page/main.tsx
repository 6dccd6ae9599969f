import { render } from 'preact';
import { listenToKeys } from '#console/page/parts/keys.ts';
import { keepScroll } from '#console/page/state/scroll.ts';
import { route } from '#console/page/state/state.ts';
import { Foot, StaleBanner, TopBar } from './parts/bars.tsx';
import { Blank } from './parts/blank.tsx';
import { listenToFocus } from './parts/focused-row.ts';
import { Help, showHelp } from './parts/help.tsx';
import { OverviewScreen } from './screens/overview.tsx';
import { QueryScreen } from './screens/query.tsx';
import { WecScreen } from './screens/wec.tsx';
import { WorkloadScreen } from './screens/workload.tsx';

function Screen() {
  const { value } = route;
  switch (value.screen) {
    case 'overview':
      return <OverviewScreen {...value} />;
    case 'workload':
    case 'combined':
    case 'why':
      return <WorkloadScreen key={JSON.stringify(value.workload)} asked={value} />;
    case 'wec':
      return <WecScreen key={value.wec} {...value} />;
    case 'query':
      return <QueryScreen asked={value} />;
    case 'unknown':
      return (
        <Blank
          isPage
          kind="empty"
          title="Nothing is shown here"
          text="This address names no screen."
        >
          <a class="btn" href="#/">
            Overview
          </a>
        </Blank>
      );
  }
}

function skip(): void {
  document.getElementById('main')?.focus();
}

function Page() {
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <TopBar />
      <StaleBanner />
      <main id="main" tabIndex={-1}>
        <Screen />
      </main>
      <Foot onHelp={showHelp} />
      <Help />
    </>
  );
}

listenToKeys();
listenToFocus();
keepScroll();
render(<Page />, document.body);
