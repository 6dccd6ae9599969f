import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { API, getObject } from '#console/live/client.ts';
import type { Follower } from '#console/live/follower.ts';
import { countText } from '#console/model/age.ts';
import type { ExplanationObject, WecStatusObject } from '#console/model/api-objects.ts';
import { placeKey, type Route, routeText, type WorkloadPlace } from '#console/model/routes.ts';
import { verdictShares } from '#console/model/verdict-shares.ts';
import type { WecRow } from '#console/model/wec-row.ts';
import {
  decidersOf,
  type FieldRow,
  fieldRows,
  NOT_SAID,
  noFieldsText,
  noVerdictText,
} from '#console/model/why.ts';
import { useKeysOf } from '#console/page/parts/keys.ts';
import { open } from '#console/page/state/state.ts';
import { Name, OutsideText } from '../parts/outside-text.tsx';
import { Cell, Column, Row } from '../parts/row.tsx';
import { Head } from '../parts/small.tsx';
import { VerdictMark } from '../parts/verdict-mark.tsx';
import { WhyAside } from './why-aside.tsx';

type Asked = Route & { screen: 'why' };

/** The path of the explanation of an object. */
function explanationPath({ namespace, resource, name }: WorkloadPlace): string {
  const own = encodeURIComponent(`${resource}:${name}`);
  return namespace === ''
    ? `${API}/clusterexplanations/${own}`
    : `${API}/namespaces/${encodeURIComponent(namespace)}/explanations/${own}`;
}

/** What would be if a WEC were gone. */
type WhatIf =
  | { readonly type: 'none' }
  | { readonly type: 'asking' }
  | { readonly type: 'told'; readonly explanation: ExplanationObject }
  | { readonly type: 'failed'; readonly message: string };

/** Asks again whenever the explanation changes, so both are of the same time. */
function useWhatIf({ workload, without }: Asked, explanation: ExplanationObject): WhatIf {
  const found = useSignal<WhatIf>({ type: 'none' });
  useEffect(() => {
    if (without === undefined) {
      found.value = { type: 'none' };
      return undefined;
    }
    const stopping = new AbortController();
    if (found.peek().type !== 'told') found.value = { type: 'asking' };
    getObject<ExplanationObject>(explanationPath(workload), { without }, stopping.signal).then(
      (told) => {
        found.value = { type: 'told', explanation: told };
      },
      (error: unknown) => {
        if (stopping.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        found.value = { type: 'failed', message };
      },
    );
    return () => stopping.abort();
  }, [without, explanation, placeKey(workload)]);
  return found.value;
}

function Value({ row: { value, before } }: { readonly row: FieldRow }) {
  if (before !== undefined)
    return (
      <>
        {before !== '' && (
          <s class="was">
            <OutsideText text={before} max={80} />
          </s>
        )}
        <span class="now">
          {value === undefined ? 'left out' : <OutsideText text={value} max={80} />}
        </span>
      </>
    );
  return value === undefined ? (
    <span class="dim">left out</span>
  ) : (
    <OutsideText text={value} max={80} />
  );
}

function DecidedBy({ row, qualified }: { readonly row: FieldRow; readonly qualified: number }) {
  const { decidedBy, isByAll } = row;
  const [first, ...others] = decidedBy;
  if (isByAll) return <span class="dim">all {countText(qualified)} together</span>;
  if (first === undefined) return <span class="dim">no one</span>;
  return (
    <>
      <span class="tag">
        <Name text={first.wec} />
        {first.value === '' ? (
          <span class="dim">{NOT_SAID}</span>
        ) : (
          <b>
            <OutsideText text={first.value} max={24} />
          </b>
        )}
      </span>
      {others.length > 0 && <span class="dim nowrap">and {others.length} more</span>}
    </>
  );
}

function Fields({
  asked,
  rows,
  selected,
  qualified,
}: {
  readonly asked: Asked;
  readonly rows: readonly FieldRow[];
  readonly selected: FieldRow | undefined;
  readonly qualified: number;
}) {
  return (
    <div
      class="tb whyt"
      role="table"
      aria-label="Fields of .status"
      aria-rowcount={rows.length + 1}
    >
      <div class="tr th" role="row" aria-rowindex={1}>
        <Column>Field of .status</Column>
        <Column>Value</Column>
        <Column>Rule</Column>
        <Column>Decided by</Column>
      </div>
      {rows.map((row, index) => {
        const href = routeText({ ...asked, field: row.path });
        return (
          <Row
            key={row.path}
            href={href}
            index={index}
            isStop={selected === undefined ? index === 0 : row === selected}
            isOn={row === selected}
          >
            <Cell of="mono clip" title={row.path}>
              <a
                href={href}
                tabIndex={-1}
                {...(row === selected ? { 'aria-current': 'true' as const } : {})}
              >
                <OutsideText text={row.path} />
              </a>
            </Cell>
            <Cell of="val clip">
              <Value row={row} />
            </Cell>
            <Cell of="rule clip" title={row.departs ?? row.rule}>
              {row.departs !== undefined && <b>≠ </b>}
              {row.departs ?? row.rule}
            </Cell>
            <Cell of="dec">
              <DecidedBy row={row} qualified={qualified} />
            </Cell>
          </Row>
        );
      })}
    </div>
  );
}

/** How many fields are others without the WEC. */
function changed(rows: readonly FieldRow[]): number {
  return rows.filter(({ before }) => before !== undefined).length;
}

function WhatIfBar({
  asked,
  whatIf,
  explanation,
  rows,
  input,
}: {
  readonly asked: Asked;
  readonly whatIf: WhatIf;
  readonly explanation: ExplanationObject;
  readonly rows: readonly FieldRow[];
  readonly input: RefObject<HTMLInputElement | null>;
}) {
  const { without, ...plain } = asked;
  const [first] = explanation.verdict?.decidedBy ?? [];
  if (without === undefined)
    return (
      <form
        class="whatif"
        onSubmit={(event) => {
          event.preventDefault();
          const wec = input.current?.value.trim() ?? '';
          if (wec !== '') open({ ...asked, without: wec });
        }}
      >
        <span>What if</span>
        {first !== undefined && (
          <a class="btn" href={routeText({ ...asked, without: first })}>
            <OutsideText text={first} max={60} />
          </a>
        )}
        {first !== undefined && <span>or</span>}
        <input
          ref={input}
          class="fin"
          aria-label="Another WEC"
          placeholder="another WEC"
          spellcheck={false}
        />
        <span class="mid">were gone?</span>
        <button type="submit" class="btn">
          Show
        </button>
      </form>
    );
  return (
    <div class="whatif act" role="status">
      <span>What if</span>
      <span class="tag">
        <Name text={without} />
      </span>{' '}
      were gone?
      {whatIf.type === 'failed' && (
        <span class="f-bad">
          <OutsideText text={whatIf.message} max={400} />
        </span>
      )}
      {whatIf.type === 'told' && (
        <>
          <b>{whatIf.explanation.verdict?.status ?? 'No verdict'}</b>
          <span class="mid">
            {whatIf.explanation.verdict?.status === explanation.verdict?.status
              ? 'as before'
              : `instead of ${explanation.verdict?.status ?? 'no verdict'}`}
            ; {changed(rows)} of {rows.length} fields change.
          </span>
        </>
      )}
      <a class="btn" href={routeText(plain)}>
        Put it back <kbd aria-hidden="true">Esc</kbd>
      </a>
    </div>
  );
}

function Verdicts({ explanation }: { readonly explanation: ExplanationObject }) {
  const shares = verdictShares(explanation);
  return (
    <section>
      <Head title="The verdict" right="the worst that a WEC says" />
      <div class="tb small">
        {shares.map(({ verdict, count, named }) => (
          <div class="tr" key={verdict}>
            <VerdictMark verdict={verdict} />
            <span class="clip">
              <span class="dim">
                <OutsideText text={named.slice(0, 2).join(', ')} max={60} />
                {named.length > 2 && `, ${named.length - 2} more`}
              </span>
              {'\u2003'}
              <b>{countText(count)}</b>
            </span>
          </div>
        ))}
      </div>
      {shares.length === 0 && <p class="note">{noVerdictText(explanation)}</p>}
    </section>
  );
}

function WhoCounts({
  explanation: { wecs, decision },
}: {
  readonly explanation: ExplanationObject;
}) {
  const lines: readonly (readonly [string, number])[] = [
    ['Qualified', wecs.qualified],
    ['Reported', wecs.reported],
    ['Silent, last word counts', wecs.silent.length],
    ['Missing', wecs.missing.length],
    ['Too large, counts as missing', wecs.tooLarge.length],
  ];
  return (
    <section>
      <Head title="Who counts" right={decision.action} />
      <div class="tb small">
        {lines.map(([name, count]) => (
          <div class="tr" key={name}>
            <span class="mid">{name}</span>
            <span class={count === 0 ? 'dim' : ''}>{countText(count)}</span>
          </div>
        ))}
      </div>
      <p class="note">
        <OutsideText text={decision.reason} />.
      </p>
    </section>
  );
}

function Refused({ explanation: { refused = [] } }: { readonly explanation: ExplanationObject }) {
  if (refused.length === 0) return null;
  return (
    <section>
      <Head title="Refused" note={countText(refused.length)} right="by the WDS" />
      {refused.map((reason) => (
        <p class="note" key={reason}>
          <OutsideText text={reason} />
        </p>
      ))}
    </section>
  );
}

/** Why the status of an object is what it is, field by field. */
export function WhyTab({
  asked,
  explanation,
  follower,
}: {
  readonly asked: Asked;
  readonly explanation: ExplanationObject;
  readonly follower: Follower<WecStatusObject, WecRow> | undefined;
}) {
  const input = useRef<HTMLInputElement>(null);
  const whatIf = useWhatIf(asked, explanation);
  const shown = whatIf.type === 'told' ? whatIf.explanation : explanation;
  const rows = fieldRows(shown, whatIf.type === 'told' ? explanation : undefined);
  const selected = rows.find(({ path }) => path === asked.field) ?? rows[0];
  const [first] = explanation.verdict?.decidedBy ?? [];
  useKeysOf({
    x: () => {
      if (asked.without !== undefined || first === undefined) input.current?.focus();
      else open({ ...asked, without: first });
    },
  });
  return (
    <div class="split wide">
      <section aria-label="Fields of .status" class="col">
        <div>
          <WhatIfBar
            asked={asked}
            whatIf={whatIf}
            explanation={explanation}
            rows={rows}
            input={input}
          />
          <Fields asked={asked} rows={rows} selected={selected} qualified={shown.wecs.qualified} />
          {rows.length === 0 && (
            <p class="note">
              {noFieldsText(explanation)}: <OutsideText text={explanation.decision.reason} />.
            </p>
          )}
          {rows.some(({ departs }) => departs !== undefined) && (
            <p class="note">
              ≠ marks a rule that departs from the letter of KubeStellar’s document, and says why.
            </p>
          )}
        </div>
        <div class="two">
          <Verdicts explanation={shown} />
          <WhoCounts explanation={shown} />
          <Refused explanation={explanation} />
        </div>
      </section>
      {selected !== undefined && (
        <WhyAside
          kind={explanation.workload.kind}
          workload={asked.workload}
          row={selected}
          deciders={decidersOf(shown, selected)}
          without={asked.without}
          follower={follower}
        />
      )}
    </div>
  );
}
