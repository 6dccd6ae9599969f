import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { ExplanationView } from './explanation-view.tsx';
import { LongText, OutsideText, VerdictMark } from './outside-text.tsx';
import type { Problem } from './problem.ts';
import { type BoundReading, isExplained, MAX_WECS } from './read-object.ts';
import { type Piece, remarksOf, sentenceOf } from './sentence.ts';
import type { Settings } from './settings.ts';
import { SpectrumView } from './spectrum-view.tsx';
import type { Watched } from './use-view.tsx';
import { WecList } from './wec-list.tsx';

function PieceView({ piece }: { piece: Piece }) {
  if ('verdict' in piece) return <VerdictMark verdict={piece.verdict} />;
  if ('wec' in piece)
    return (
      <b>
        <OutsideText text={piece.wec} max={80} />
      </b>
    );
  return <span>{piece.text}</span>;
}

function keyOf(piece: Piece): string {
  if ('verdict' in piece) return 'verdict';
  return 'wec' in piece ? 'wec' : piece.text;
}

function Said({ explanation }: { explanation: Explanation }) {
  return (
    <header>
      <p className="sf-say" role="status">
        {sentenceOf(explanation).map((piece) => (
          <PieceView key={keyOf(piece)} piece={piece} />
        ))}
      </p>
      {remarksOf(explanation).map((remark) => (
        <p key={remark} className="sf-note">
          <LongText text={remark} />
        </p>
      ))}
    </header>
  );
}

function Unsaid({ problem }: { problem: Problem }) {
  return (
    <p className="sf-note" role="status">
      The status of this object cannot be explained: <OutsideText text={problem.message} />
    </p>
  );
}

function progressOf({ rows, isWhole }: BoundReading, isRead: boolean): string {
  const count = rows.length.toLocaleString('en-US');
  if (isWhole) return '';
  return isRead
    ? `These are ${count} WECs. More than ${MAX_WECS.toLocaleString('en-US')} are not read.`
    : `${count} WECs have been read so far.`;
}

/** An object that a Binding sends to WECs. */
export function BoundView(props: {
  reading: BoundReading;
  watched: Watched;
  settings: Settings;
  isPart: boolean;
}) {
  const { reading, watched, settings, isPart } = props;
  const { explanation, rows, resource } = reading;
  const of = React.useMemo(() => ({ ...watched, resource }), [watched, resource]);
  const progress = progressOf(reading, !isPart);
  return (
    <>
      {isExplained(explanation) ? (
        <Said explanation={explanation} />
      ) : (
        <Unsaid problem={explanation} />
      )}
      <section aria-label="WECs">
        <h4>WECs</h4>
        <SpectrumView rows={rows} />
        {progress !== '' && <p className="sf-note">{progress}</p>}
        <WecList rows={rows} of={of} />
      </section>
      {isExplained(explanation) && (
        <section aria-label="Why the status is what it is">
          <h4>Why the status is what it is</h4>
          <ExplanationView explanation={explanation} documents={settings.documents} />
        </section>
      )}
    </>
  );
}
