/** `nw graph diff`: the difference of two versions of a graph. */
import type { Command } from 'commander';
import { graphDifference, newestVersions } from '../../client/graph-difference.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { colors, inform, printableText, say } from '../terminal.ts';

/** @param graph the command `nw graph` */
export function addGraphDiff(graph: Command): void {
  connecting(graph.command('diff <graph> [old] [new]'))
    .description('compares versions, by the beginning of their hashes: by default the two newest')
    .action(diff);
}

/** A shorter beginning of a hash is not certain enough. */
const SHORTEST = 4;

const diff = (name: string, older: string | undefined, newer: string | undefined, options: ConnectionOptions) =>
  withClient(options, async (client) => {
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

/** @throws CommandError unless exactly one hash begins so */
function chosenHash(hashes: readonly string[], start: string): string {
  const matches = start.length < SHORTEST ? [] : hashes.filter((hash) => hash.startsWith(start));
  const [hash] = matches;
  if (hash !== undefined && matches.length === 1) return hash;
  throw new CommandError(
    `found ${matches.length} versions that begin with ${start}, expected one; nw graph versions`,
    EXIT.usage,
  );
}

function paintLine(line: string): string {
  const text = printableText(line);
  if (line.startsWith('+')) return colors.green(text);
  return line.startsWith('-') ? colors.red(text) : text;
}
