/** The styles of the tab. Nothing outside `.starfold-tab` is touched. The colours mean what they mean in Starfold's console. */
export const STYLES = `
.starfold-tab{color-scheme:light;
--ink:light-dark(#151a26,#e8ebf3);--ink-2:light-dark(#475065,#b0b8cb);--ink-3:light-dark(#5f687d,#8b94aa);
--sheet:light-dark(#fff,#131824);--well:light-dark(#eceff4,#1a2130);
--rule:light-dark(#e2e5ec,#222a3a);--rule-2:light-dark(#c4cad7,#38435a);--rule-3:light-dark(#848da2,#65708a);
--accent:light-dark(#3d46c2,#a8b1ff);--accent-wash:light-dark(#eaecfb,#1f2542);--focus:light-dark(#3d46c2,#c2c8ff);
--bad:light-dark(#b72b18,#ff8c74);--absent:light-dark(#845400,#e6b45c);--moving:light-dark(#0b6784,#66c5e0);
--fine:light-dark(#2a7148,#79c598);--rest:light-dark(#576076,#98a2b8);--absent-wash:light-dark(#faf1de,#2d2516);
--tick-bad:light-dark(#cf3a25,#ff7d63);--tick-absent:light-dark(#b27a14,#dfa741);--tick-moving:light-dark(#2287a8,#4fb4d2);
--tick-fine:light-dark(#a9cdb8,#2f5c48);--tick-rest:light-dark(#8791a6,#5f6b84);
background:var(--sheet);color:var(--ink);padding:16px;font-size:13px;line-height:1.45;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.theme-dark .starfold-tab{color-scheme:dark}
.starfold-tab *{box-sizing:border-box}
.starfold-tab p,.starfold-tab h4,.starfold-tab ul,.starfold-tab dl,.starfold-tab dd,.starfold-tab fieldset{margin:0;padding:0;border:0;list-style:none}
.starfold-tab h4{font-size:15px;font-weight:650;margin:24px 0 8px;color:var(--ink)}
.starfold-tab button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:start;min-height:24px}
.starfold-tab a{color:var(--accent)}
.starfold-tab :focus-visible{outline:2px solid var(--focus);outline-offset:1px}
.starfold-tab bdi{unicode-bidi:isolate;white-space:pre-wrap}
.starfold-tab pre{background:var(--well);color:var(--ink);border:0;border-radius:3px;padding:12px;margin:0;font-size:12px;white-space:pre-wrap}
.sf-raw{margin:8px 0;max-height:300px;overflow:auto}
.sf-say{font-size:20px;line-height:1.35;font-weight:550}
.starfold-tab .sf-say .sf-verdict{display:inline;font-weight:inherit}.sf-say .sf-verdict svg{display:inline;width:15px;height:15px;margin-inline-end:7px}
.sf-note{color:var(--ink-2);font-size:12px;margin-top:4px!important}
.sf-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.sf-banner{display:flex;gap:12px;align-items:center;justify-content:space-between;background:var(--absent-wash);border-bottom:1px solid var(--absent);padding:8px 12px;margin-bottom:16px}
.starfold-tab .sf-button{border:1px solid var(--rule-3);border-radius:3px;background:var(--sheet);padding:0 10px;white-space:nowrap}
.sf-verdict{display:inline-flex;vertical-align:middle;align-items:center;gap:7px;white-space:nowrap;font-weight:550}
.sf-verdict svg{width:12px;height:12px;flex:none;overflow:visible}
.starfold-tab .sf-fine,.starfold-tab .sf-rest{font-weight:400}.sf-bad{color:var(--bad)}.sf-absent{color:var(--absent)}.sf-moving{color:var(--moving)}.sf-fine{color:var(--fine)}.sf-rest{color:var(--rest)}
.sf-spectrum{display:block;width:100%;height:36px;border-bottom:1px solid var(--rule-2)}
.sf-tick-bad{fill:var(--tick-bad)}.sf-tick-moving{fill:var(--tick-moving)}.sf-tick-fine{fill:var(--tick-fine)}.sf-tick-rest{fill:var(--tick-rest)}
.sf-tick-absent{fill:none;stroke:var(--tick-absent);stroke-width:1.5;vector-effect:non-scaling-stroke}
.sf-chips{display:flex;flex-wrap:wrap;gap:6px;margin:12px 0 8px!important}
.starfold-tab .sf-chip{display:inline-flex;align-items:center;gap:6px;min-height:26px;padding:0 9px;border:1px solid var(--rule-2);border-radius:13px;color:var(--ink-2);background:var(--sheet)}
.starfold-tab .sf-chip[aria-pressed=true]{border-color:var(--accent);background:var(--accent-wash);color:var(--ink)}
.sf-table{width:100%;table-layout:fixed;border-collapse:collapse;margin:0 0 8px}
.sf-table th,.sf-table td{text-align:start;vertical-align:top;padding:5px 8px;border-bottom:1px solid var(--rule);font-weight:400;background:none;color:inherit}
.sf-table thead th{font-size:11px;color:var(--ink-3);border-bottom-color:var(--rule-2);text-transform:none}
.sf-table .sf-number{text-align:end}
.sf-table.sf-wecs td{vertical-align:middle;padding-block:2px}
.sf-wecs th:nth-child(1){width:140px}.sf-wecs th:nth-child(3){width:80px}.sf-wecs th:nth-child(4){width:32%}
.sf-fields thead th:nth-child(1){width:24%}.sf-fields thead th:nth-child(3){width:20%}.sf-fields thead th:nth-child(4){width:22%}
.starfold-tab .sf-open{font-weight:550;text-decoration:underline;text-decoration-color:var(--rule-3);text-underline-offset:3px}
.sf-details dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px}
.sf-details dt{color:var(--ink-3);font-weight:400}
.sf-fields tbody th{font-weight:550}
.sf-value{font-family:ui-monospace,"SF Mono","Cascadia Mono","Liberation Mono",monospace;font-size:12px}
.sf-long summary{cursor:pointer}
@media (prefers-contrast:more){.starfold-tab{--ink-2:light-dark(#2b3345,#d5dbe8);--ink-3:light-dark(#3b4458,#b9c1d3);--rule:light-dark(#b9c0ce,#465169);--tick-fine:light-dark(#4d9a70,#5aa37e)}}
@media (forced-colors:active){.sf-spectrum rect{forced-color-adjust:none}}
`;
