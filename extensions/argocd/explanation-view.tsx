import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { fieldsOf, type ShownField } from './fields.ts';
import { LongText, OutsideText, VerdictMark } from './outside-text.tsx';
import { documentLink } from './view.ts';

const MAX_DECIDERS = 3;

function Rule({ field, documents }: { field: ShownField; documents: string | undefined }) {
  const link = documentLink(documents, field.documentation);
  if (link === undefined) return <span title={`docs/${field.documentation}`}>{field.rule}</span>;
  return (
    <a href={link} target="_blank" rel="noreferrer">
      {field.rule}
    </a>
  );
}

function Deciders({ decidedBy }: Pick<ShownField, 'decidedBy'>) {
  if (decidedBy === 'all') return <>all WECs</>;
  const others = decidedBy.length - MAX_DECIDERS;
  return (
    <ul>
      {decidedBy.slice(0, MAX_DECIDERS).map(({ wec, value, verdict }) => (
        <li key={wec}>
          <OutsideText text={wec} max={80} />
          {value !== undefined && (
            <>
              {' says '}
              <OutsideText text={value} max={80} />
            </>
          )}
          {verdict !== undefined && (
            <>
              {' '}
              <VerdictMark verdict={verdict} />
            </>
          )}
        </li>
      ))}
      {others > 0 && <li>{others} more</li>}
    </ul>
  );
}

/** Which rule gives each field of the status, and which WECs decide it. */
export function ExplanationView(props: {
  explanation: Explanation;
  documents: string | undefined;
}) {
  const { explanation, documents } = props;
  const fields = React.useMemo(() => fieldsOf(explanation), [explanation]);
  if (fields.length === 0) return <p>The status has no fields.</p>;
  return (
    <table className="sf-table sf-fields">
      <caption className="sf-hidden">Each field of the status, its rule and who decides it</caption>
      <thead>
        <tr>
          {['Field', 'Value', 'Rule', 'Decided by'].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.path}>
            <th scope="row">
              <OutsideText text={field.path} max={120} />
            </th>
            <td className="sf-value">
              <LongText text={field.value} />
            </td>
            <td>
              <Rule field={field} documents={documents} />
              {field.departs !== undefined && <p className="sf-note">{field.departs}</p>}
            </td>
            <td>
              <Deciders decidedBy={field.decidedBy} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
