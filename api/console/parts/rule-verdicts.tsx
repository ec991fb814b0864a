/** The rules of a SKU for one node, each with what was expected and what was found. */
import type { RuleVerdicts } from '../data/matching-nodes.ts';
import { DataTable } from './data-table.tsx';
import { StatePill } from './state-pill.tsx';

export function RuleVerdictTable({ verdicts }: { verdicts: RuleVerdicts }) {
  return (
    <DataTable
      label="Rules"
      rows={verdicts.map((verdict, index) => ({ ...verdict, index }))}
      keyOf={({ index }) => String(index)}
      empty="No rules."
      columns={[
        { title: 'result', cell: ({ passed }) => <PassedSymbol isPassed={passed} /> },
        { title: 'path', cell: ({ path }) => <code>{path}</code> },
        { title: 'operator', cell: ({ operator }) => operator ?? 'exists' },
        { title: 'expected', cell: ({ operator, expected }) => (operator === null ? '' : <Json value={expected} />) },
        { title: 'found', cell: ({ exists, value }) => (exists ? <Json value={value} /> : <em>nothing</em>) },
      ]}
    />
  );
}

function PassedSymbol({ isPassed }: { isPassed: boolean }) {
  return <StatePill of={isPassed ? 'succeeded' : 'cancelled'} text={isPassed ? 'passed' : 'not passed'} />;
}

const MAX_LENGTH = 300;

function Json({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <code>{text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text}</code>;
}
