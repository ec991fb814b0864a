/** The columns of a history. */

import { ErrorText } from '../../parts/error-text.tsx';
import { Time } from '../../parts/time.tsx';
import type { WindowedColumn } from '../../parts/windowed-list.tsx';
import { causeWords, lineText } from './history-words.ts';
import type { ListedLine } from './whole-history.ts';

export const historyColumns: readonly WindowedColumn<ListedLine>[] = [
  { title: 'at', width: '14%', card: 'fact', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'change',
    width: '38%',
    card: 'name',
    cell: (line) => <span title={lineText(line)}>{lineText(line)}</span>,
  },
  {
    title: 'error',
    width: '28%',
    card: 'line',
    cell: ({ error }) => error && <ErrorText error={error} />,
  },
  { title: 'because of', width: '20%', card: 'fact', cell: causeWords },
];
