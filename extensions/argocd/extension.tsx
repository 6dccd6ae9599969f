import { StarfoldTab } from './starfold-tab.tsx';

// A Binding may name an object of any kind, and `**` also matches the core group. An Application is never sent to WECs.
window.extensionsAPI.registerResourceExtension(StarfoldTab, '**', '!Application', 'WECs', {
  icon: 'fa-sitemap',
});
