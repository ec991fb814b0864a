/** `nw diff`: what differs between two workflows of one graph. */
import type { Command } from 'commander';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { showAs, type TableColumn, tableText } from '../output.ts';
import { printableText, say } from '../terminal.ts';
import { latestWorkflow } from '../workflow-of.ts';

type Diff = GetAnswer<'/workflows/:a/diff/:b'>;
type Difference = Diff['options'][number];

const columns: TableColumn<Difference>[] = [
  { title: 'differs', value: ({ path }) => path },
  { title: 'a', value: ({ a }) => a },
  { title: 'b', value: ({ b }) => b },
];

const timingColumns: TableColumn<Diff['timings'][number]>[] = [
  { title: 'task', value: ({ label }) => label },
  { title: 'a ms', value: ({ aMs }) => aMs },
  { title: 'b ms', value: ({ bMs }) => bMs },
];

export function addDiffCommand(root: Command): void {
  connecting(root.command('diff <a> <b>'))
    .description(
      'compares two workflows of one graph, each by its id or its node: where b first ended otherwise, and why',
    )
    .action(diff);
}

const diff = (first: string, second: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const [a, b] = [await latestWorkflow(client, first), await latestWorkflow(client, second)];
    const { body } = await client.get('/workflows/:a/diff/:b', { params: { a: a.id, b: b.id } });
    showAs(options.output, body, () => {
      say(printableText(firstText(body)));
      const { definition, options: given, node, catalogs } = body;
      const all = [...(definition ? [{ path: 'definition', ...definition }] : []), ...given, ...node, ...catalogs];
      if (all.length > 0) say(tableText(all, columns, false));
      say(tableText(body.timings, timingColumns, false));
    });
  });

const firstText = ({ first }: Diff): string =>
  first === null ? 'All tasks ended in the same way.' : `${first.label} first differs: ${first.a}, then ${first.b}`;
