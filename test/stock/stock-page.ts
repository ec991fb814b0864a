/** `graphs/STOCK.md`: the rows as a table. */
import { code, MAX_CELL, table } from '../reference/markdown.ts';
import type { StockRow } from './stock-run.ts';

export const STOCK_PAGE = 'graphs/STOCK.md';

const TITLE = `# What each graph does on a twin

Every graph that ships, launched with its example on a [machine without hardware](../docs/operate/twin.md): how it ended, and what
the ledger, the node's record and its BMC say afterwards. Written by \`npm run stock\`;
[run your own graph](../docs/author/add-a-graph.md#4-run-it-on-a-machine).
`;

export const stockTable = (rows: readonly StockRow[]): string =>
  table(
    ['graph', 'example', 'outcome', 'why', 'ledger'],
    rows.map(({ graph, example, outcome, why, ledger }) => [
      cell(code(graph)),
      cell(exampleText(example)),
      outcome,
      cell(why),
      cell(ledgerText(ledger)),
    ]),
  );

export const stockPage = (rows: readonly StockRow[]): string => `${TITLE}\n${stockTable(rows)}\n`;

/** The labels with the names of their options. */
const exampleText = (example: StockRow['example']): string =>
  Object.entries(example)
    .map(([label, options]) => `${label}: ${Object.keys(options).join(', ')}`)
    .join('; ');

/** Each kind once. */
function ledgerText(ledger: StockRow['ledger']): string {
  const byKind = new Map<string, string[]>();
  for (const line of ledger) {
    const [kind = '', what = ''] = line.split(/: (.*)/s);
    byKind.set(kind, [...(byKind.get(kind) ?? []), what]);
  }
  return [...byKind].map(([kind, changes]) => `${kind}: ${changes.join(', ')}`).join('; ');
}

function cell(text: string): string {
  const line = text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_CELL ? line : `${line.slice(0, MAX_CELL - 2).trimEnd()} …`;
}

/** @returns the outcome of each graph that the page has */
export const outcomesIn = (page: string): Map<string, string> =>
  new Map(
    [...page.matchAll(/^\| `(\S+)`\s*\|[^|]*\| ([a-z ]+?)\s*\|/gm)].map(([, graph = '', outcome = '']) => [
      graph,
      outcome,
    ]),
  );
