import type { WecStatusObject } from '#console/model/api-objects.ts';
import { statusLines, type YamlLine } from '#console/model/yaml-lines.ts';
import { OutsideText } from './outside-text.tsx';

/** More lines are only shown on demand, by kubectl. */
const MAX_LINES = 400;

function headText({ generation: { wec, source, observed } }: WecStatusObject): string {
  const parts = [
    ...(wec === undefined ? [] : [`generation ${wec}`]),
    ...(source === undefined ? [] : [`made from the WDS’s ${source}`]),
    ...(observed === undefined ? [] : [`observed ${observed}`]),
  ];
  return parts.length === 0 ? '# no generation known' : `# ${parts.join(', ')}`;
}

function Line({ line, isOn }: { readonly line: YamlLine; readonly isOn: boolean }) {
  return (
    <span class={isOn ? 'hl' : ''}>
      <OutsideText text={line.text} />
    </span>
  );
}

/** The status as a WEC says it, with the lines of one field marked. A text says why there is none. */
export function RawStatus({
  raw,
  field,
}: {
  readonly raw: WecStatusObject | string | undefined;
  readonly field?: string;
}) {
  if (raw === undefined) return <p class="note late">Reading…</p>;
  if (typeof raw === 'string')
    return (
      <p class="note" role="alert">
        <OutsideText text={raw} />
      </p>
    );
  if (raw.status === undefined) return <p class="note">No status: {raw.state}.</p>;
  const lines = statusLines(raw.status);
  const top = field?.split('.')[0];
  return (
    // A long status scrolls, which needs the focus (WCAG 2.1.1).
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div class="raw" role="region" tabIndex={0} aria-label="Raw status">
      <span>
        <em>{headText(raw)}</em>
      </span>
      {lines.slice(0, MAX_LINES).map((line, index) => (
        // Lines have no name but their place.
        <Line key={index} line={line} isOn={line.field === field || line.field === top} />
      ))}
      {lines.length > MAX_LINES && (
        <span>
          <em>
            # {lines.length - MAX_LINES} more lines: kubectl get wecst -n{' '}
            {raw.metadata.namespace ?? ''} {raw.metadata.name} -o yaml
          </em>
        </span>
      )}
    </div>
  );
}
