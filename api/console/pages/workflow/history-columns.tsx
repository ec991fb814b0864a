/** The columns of a history. */
import type { ComponentChildren } from 'preact';
import { Time } from '../../parts/time.tsx';
import type { ListedLine } from './whole-history.ts';

interface HistoryColumn {
  title: string;
  width: string;
  cell: (line: ListedLine) => ComponentChildren;
}

export const historyColumns: readonly HistoryColumn[] = [
  { title: 'version', width: '8%', cell: ({ version }) => version },
  { title: 'at', width: '14%', cell: ({ at }) => <Time at={at} /> },
  { title: 'event', width: '15%', cell: ({ event }) => event },
  {
    title: 'task',
    width: '14%',
    cell: ({ label, attempt }) => `${label ?? ''}${attempt ? ` (attempt ${attempt})` : ''}`,
  },
  { title: 'from', width: '11%', cell: ({ from }) => valueText(from) },
  { title: 'to', width: '11%', cell: ({ to }) => valueText(to) },
  { title: 'error', width: '15%', cell: ({ error }) => error && <span title={error.message}>{error.code}</span> },
  { title: 'cause', width: '12%', cell: ({ by, cause }) => by ?? (cause && `${cause.kind} ${cause.ref ?? ''}`) },
];

/** A state value, or the state of a task. */
function valueText(value: unknown): ComponentChildren {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '');
  return <span title={text}>{text}</span>;
}
