/** `nw graph diff`: the difference of two versions of a graph. */
import type { Command } from 'commander';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { chosenHash } from '../graph-version.ts';
import { colors, inform, printableText, say } from '../terminal.ts';

/** @param graph the command `nw graph` */
export function addGraphDiff(graph: Command): void {
  connecting(graph.command('diff <graph> [old] [new]'))
    .description('compares versions, by the beginning of their hashes: by default the two newest')
    .action(diff);
}

const diff = (name: string, older: string | undefined, newer: string | undefined, options: ConnectionOptions) =>
  withClient(options, async (client) => {
    const { graphDifference, newestVersions } = await import('../../client/graph-difference.ts');
    const { body: versions } = await client.get('/workflows/graphs/:name/versions', { params: { name } });
    const hashes = versions.map(({ hash }) => hash);
    const newest = newestVersions(versions);
    const after = newer === undefined ? newest.new : chosenHash(hashes, newer);
    const before = older === undefined ? newest.old : chosenHash(hashes, older);
    if (before === undefined || after === undefined) {
      inform(`${name} has only one version`);
      return;
    }
    const { patch, isSameText } = await graphDifference(client, name, { old: before, new: after });
    if (options.output === 'json' || options.output === 'jsonl') {
      say(JSON.stringify({ old: before, new: after, patch }));
      return;
    }
    if (isSameText) inform('Only code differs: tasks, actions or guards; compare the files of the graph');
    else for (const line of patch.split('\n').slice(1)) say(paintLine(line));
  });

function paintLine(line: string): string {
  const text = printableText(line);
  if (line.startsWith('+')) return colors.green(text);
  return line.startsWith('-') ? colors.red(text) : text;
}
