import type { ComponentChildren } from 'preact';
import { ApiProblem } from '#console/live/client.ts';
import type { Phase } from '#console/live/follower.ts';
import { ageText } from '#console/model/age.ts';
import { nowMs, retryNow } from '#console/page/state/state.ts';
import { OutsideText } from './outside-text.tsx';

const ART = {
  empty: (
    <>
      <path
        d="M20 4v32M4 20h32"
        stroke="currentColor"
        stroke-dasharray="1 5"
        stroke-linecap="round"
        stroke-width="1.6"
      />
      <circle cx="20" cy="20" r="3" fill="none" stroke="currentColor" stroke-width="1.5" />
    </>
  ),
  forbidden: (
    <>
      <circle cx="20" cy="20" r="14" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M11 20h18" stroke="currentColor" stroke-width="2.4" />
    </>
  ),
  error: (
    <>
      <path d="M20 4 36 20 20 36 4 20Z" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M20 13v9M20 26v2" stroke="currentColor" stroke-width="2.2" />
    </>
  ),
};

/** Says why there is nothing, and what to do. */
export function Blank({
  kind,
  title,
  text,
  isPage = false,
  children,
}: {
  readonly kind: keyof typeof ART;
  /** Whether the page has nothing else, and so no other heading. */
  readonly isPage?: boolean;
  readonly title: string;
  readonly text: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const Heading = isPage ? 'h1' : 'h3';
  return (
    <div class="blank" role={kind === 'error' ? 'alert' : 'status'}>
      <svg viewBox="0 0 40 40" aria-hidden="true">
        {ART[kind]}
      </svg>
      <Heading>{title}</Heading>
      <p>{text}</p>
      <div class="row">{children}</div>
    </div>
  );
}

const FORBIDDEN = new Set([401, 403]);

function NextTry({ atMs }: { readonly atMs: number }) {
  const seconds = Math.max(0, Math.ceil((atMs - nowMs.value) / 1000));
  return <span class="dim">next try in {ageText(seconds)}</span>;
}

/** What a user needs in the WDS to read something. */
export interface Needed {
  /** What is read: `what WECs say of it`. */
  readonly what: string;
  /** Verbs and resources, such as `list wecstatuses.status.starfold.dev`. */
  readonly rights: readonly string[];
  /** Absent if it is read in all namespaces, or has none. */
  readonly namespace?: string;
}

/** How kubectl is asked for a right. */
function question(right: string, namespace: string | undefined): string {
  return `kubectl auth can-i ${right}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}

/** Names what a user needs, and what the server says. */
export function Forbidden({
  said,
  needed: { what, rights, namespace },
  isPage = false,
  onRetry = retryNow,
}: {
  readonly said: string;
  readonly needed: Needed;
  readonly isPage?: boolean;
  readonly onRetry?: () => void;
}) {
  const text = (
    <>
      To read {what}, you need in the WDS{' '}
      {rights.map((right, index) => (
        <>
          {index > 0 && ' and '}
          <code>
            <OutsideText text={right} />
          </code>
        </>
      ))}
      {namespace !== undefined && (
        <>
          {' '}
          in namespace <OutsideText text={namespace} />
        </>
      )}
      . <OutsideText text={said} max={500} />
    </>
  );
  return (
    <Blank kind="forbidden" title="You may not read this" text={text} isPage={isPage}>
      <button type="button" class="btn" onClick={onRetry}>
        Try again
      </button>
      {rights.map((right) => (
        <code key={right}>
          <OutsideText text={question(right, namespace)} />
        </code>
      ))}
    </Blank>
  );
}

/** Says that the API has refused, and what with. */
export function Refusal({
  phase: { error, nextTryMs },
  needed,
  isPage = false,
}: {
  readonly phase: Phase & { readonly type: 'refused' };
  readonly needed: Needed;
  readonly isPage?: boolean;
}) {
  const code = error instanceof ApiProblem ? error.code : undefined;
  if (code !== undefined && FORBIDDEN.has(code))
    return <Forbidden said={error.message} needed={needed} isPage={isPage} />;
  const text = (
    <>
      {code !== undefined && <b>{code} </b>}
      <OutsideText text={error.message} />
    </>
  );
  return (
    <Blank kind="error" title="The list could not be read" text={text} isPage={isPage}>
      <button type="button" class="btn" onClick={retryNow}>
        Try again
      </button>
      <NextTry atMs={nextTryMs} />
    </Blank>
  );
}
