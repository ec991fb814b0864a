/** The progress of each server that asks for a graph, as a row. */
import { countsText, type OutputFormat, showAs, showList, type TableColumn } from '../output.ts';
import { colors, inform, printableText, say } from '../terminal.ts';
import { PROGRESS, REQUEST } from './annotations.ts';
import type { ParkedServer } from './parked-server.ts';

export type ServerState =
  | 'planned'
  | 'skipped'
  | 'parking'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'rejected'
  | 'withdrawn';

export interface ServerRow {
  server: string;
  state: ServerState;
  graph: string | null;
  /** Id of the node; null: it is not certain yet. */
  node: string | null;
  workflow: string | null;
  details: string;
}

export const rowOf = (
  { name, annotations }: Pick<ParkedServer, 'name' | 'annotations'>,
  state: ServerState,
  details: string,
  more: Partial<Pick<ServerRow, 'node' | 'workflow'>> = {},
): ServerRow => ({
  server: name,
  state,
  graph: annotations[REQUEST.graph] ?? null,
  node: annotations[PROGRESS.node] ?? null,
  workflow: annotations[PROGRESS.workflow] ?? null,
  details,
  ...more,
});

const paint = (text: string, { state }: ServerRow): string => {
  if (state === 'failed' || state === 'rejected' || state === 'cancelled') return colors.red(text);
  return state === 'skipped' ? colors.yellow(text) : colors.green(text);
};

const columns: TableColumn<ServerRow>[] = [
  { title: 'server', value: ({ server }) => server },
  { title: 'state', value: ({ state }) => state, paint },
  { title: 'graph', value: ({ graph }) => graph },
  { title: 'details', value: ({ details }) => details },
  { title: 'node', value: ({ node }) => node, wide: true },
  { title: 'workflow', value: ({ workflow }) => workflow, wide: true },
];

/** Shows a row as it comes. */
export const showServer = (row: ServerRow, format: OutputFormat): void =>
  showAs(format === 'json' ? 'jsonl' : format, row, () => {
    say(`${printableText(row.server)}  ${paint(row.state, row)}  ${printableText(row.details)}`);
  });

export const showServers = (rows: readonly ServerRow[], format: OutputFormat): void => showList(rows, columns, format);

export function informCounts(rows: readonly ServerRow[]): void {
  const counts: Record<string, number> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  inform(rows.length === 0 ? 'no server asks for a graph' : `servers: ${countsText(counts)}`);
}
