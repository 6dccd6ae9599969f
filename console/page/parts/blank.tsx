import type { ComponentChildren } from 'preact';
import { ApiProblem } from '#console/live/client.ts';
import type { Phase } from '#console/live/follower.ts';
import { ageText } from '#console/model/age.ts';
import { nowMs, retryNow } from '../state.ts';
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

/** Says that the API has refused, and what with. */
export function Refusal({
  phase,
  isPage = false,
}: {
  readonly phase: Phase & { readonly type: 'refused' };
  readonly isPage?: boolean;
}) {
  const { error, nextTryMs } = phase;
  const code = error instanceof ApiProblem ? error.code : undefined;
  const isForbidden = code !== undefined && FORBIDDEN.has(code);
  const text = (
    <>
      {code !== undefined && <b>{code} </b>}
      <OutsideText text={error.message} />
    </>
  );
  return (
    <Blank
      kind={isForbidden ? 'forbidden' : 'error'}
      title={isForbidden ? 'You may not read this' : 'The list could not be read'}
      text={text}
      isPage={isPage}
    >
      <button type="button" class="btn" onClick={retryNow}>
        Try again
      </button>
      {isForbidden ? (
        <code>kubectl auth can-i list wecstatuses.status.starfold.dev</code>
      ) : (
        <NextTry atMs={nextTryMs} />
      )}
    </Blank>
  );
}
