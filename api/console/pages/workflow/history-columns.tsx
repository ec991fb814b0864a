/** The columns of a history. */
import type { ComponentChildren } from 'preact';
import { stateWords } from '../../../../engine/vocabulary/state-words.ts';
import { Time } from '../../parts/time.tsx';
import type { WindowedColumn } from '../../parts/windowed-list.tsx';
import type { ListedLine } from './whole-history.ts';

export const historyColumns: readonly WindowedColumn<ListedLine>[] = [
  { title: 'version', width: '8%', card: 'fact', cell: ({ version }) => version },
  { title: 'at', width: '14%', card: 'fact', cell: ({ at }) => <Time at={at} /> },
  { title: 'event', width: '15%', card: 'name', cell: ({ event }) => event },
  {
    title: 'task',
    width: '14%',
    card: 'state',
    cell: ({ label, attempt }) => `${label ?? ''}${attempt ? ` (attempt ${attempt})` : ''}`,
  },
  { title: 'from', width: '11%', card: 'none', cell: ({ from }) => valueText(from) },
  { title: 'to', width: '11%', card: 'fact', cell: ({ to }) => valueText(to) },
  {
    title: 'error',
    width: '15%',
    card: 'line',
    cell: ({ error }) => error && <span title={error.message}>{error.code}</span>,
  },
  {
    title: 'cause',
    width: '12%',
    card: 'none',
    cell: ({ by, cause }) => by ?? (cause && <span title={cause.ref ?? undefined}>{cause.kind}</span>),
  },
];

/** A state value, or the state of a task. */
function valueText(value: unknown): ComponentChildren {
  if (value === undefined || value === null) return null;
  const text = stateWords(value);
  return <span title={text}>{text}</span>;
}
