/** The graphs of a checkout in RackHD's layout, put to the daemon by `nw import rackhd`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportResult } from '../../api/cli/rackhd/import-results.ts';
import type { StockGraph } from './stock-graphs.ts';
import type { StockRow } from './stock-run.ts';
import type { StockScene } from './stock-scene.ts';

/** Graphs that the daemon has taken, with no options, and those that it has rejected. Ours under the same name count as ours. */
export async function importedGraphs(
  { nw }: StockScene,
  checkout: string,
): Promise<{ graphs: StockGraph[]; rejected: StockRow[] }> {
  // Several files may have one name: the last one is taken.
  const results = new Map<string, ImportResult>();
  for (const folder of foldersIn(checkout)) {
    const { stdout, stderr } = await nw.run('import', 'rackhd', folder, '--output', 'json');
    if (!stdout.startsWith('[')) throw new Error(`--rackhd: ${stderr.trim()}`);
    for (const one of JSON.parse(stdout) as ImportResult[]) {
      if (one.kind === 'graph' && !(one.result === 'rejected' && results.has(one.name))) results.set(one.name, one);
    }
  }
  const named = (result: ImportResult['result']) => [...results.values()].filter((one) => one.result === result);
  return {
    graphs: named('taken').map(({ name }) => ({ name, example: {} })),
    rejected: named('rejected').map(({ name, notes }) => ({
      graph: name,
      example: {},
      outcome: 'refused',
      why: notes.join('; '),
      ledger: [],
    })),
  };
}

/** RackHD has its tasks and its graphs in two repositories, which its main one has in folders of these names. */
function foldersIn(checkout: string): string[] {
  const parts = ['on-tasks', 'on-taskgraph'].map((name) => join(checkout, name)).filter(existsSync);
  return parts.length === 0 ? [checkout] : parts;
}
