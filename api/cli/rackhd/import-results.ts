/** The results of an import from RackHD, one per file. */
import { type OutputFormat, showList, type TableColumn } from '../output.ts';
import { colors, inform } from '../terminal.ts';

const kinds = ['base task', 'task', 'graph', 'pack', 'template', 'profile'] as const;
const results = ['taken', 'ours', 'rejected'] as const;

export interface ImportResult {
  kind: (typeof kinds)[number];
  name: string;
  /** `ours`: a definition of nodewright under this name, or for this base task, is used. */
  result: (typeof results)[number];
  file: string;
  /** All that was changed, has no effect, or is wrong. */
  notes: string[];
}

const paints = { taken: colors.green, ours: colors.dim, rejected: colors.red };

const columns: TableColumn<ImportResult>[] = [
  { title: 'kind', value: ({ kind }) => kind },
  { title: 'result', value: ({ result }) => result, paint: (text, { result }) => paints[result](text) },
  { title: 'name', value: ({ name }) => name },
  { title: 'notes', value: ({ notes }) => notes.join('; ') },
  { title: 'file', value: ({ file }) => file, wide: true },
];

/** Shows every result as JSON; as a table, those with notes, and counts of all. */
export function showResults(allResults: readonly ImportResult[], format: OutputFormat): void {
  const isTable = format === 'table';
  showList(isTable ? allResults.filter(({ notes }) => notes.length > 0) : allResults, columns, format);
  for (const kind of kinds) {
    const resultsOfKind = allResults.filter((one) => one.kind === kind);
    const counts = results.map((result) => `${resultsOfKind.filter((one) => one.result === result).length} ${result}`);
    if (resultsOfKind.length > 0) inform(`${resultsOfKind.length} ${kind}s: ${counts.join(', ')}`);
  }
}
