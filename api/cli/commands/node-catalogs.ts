/** `nw node catalogs`: the latest catalogs of a node, or the data of one as JSON. */
import type { Command } from 'commander';
import { type ConnectionOptions, connecting } from '../connection.ts';
import { onNode } from '../node-of.ts';
import { showAs, showList } from '../output.ts';
import { shownTime } from '../shown-time.ts';

/** @param node the command `nw node` */
export function addCatalogsCommand(node: Command): void {
  connecting(node.command('catalogs <node> [source]'))
    .description('lists the latest catalogs of a node; with a source prints its data as JSON')
    .action(show);
}

const show = (given: string, source: string | undefined, options: ConnectionOptions): Promise<void> =>
  onNode(given, options, async (client, { id: identifier }) => {
    if (source !== undefined) {
      const { body } = await client.get('/nodes/:identifier/catalogs/:source', { params: { identifier, source } });
      return showAs('json', body.data, () => {});
    }
    const { body } = await client.get('/nodes/:identifier/catalogs', { params: { identifier } });
    showList(
      body.toSorted((a, b) => a.source.localeCompare(b.source)),
      [
        { title: 'source', value: (one) => one.source },
        { title: 'updated', value: ({ updatedAt }) => shownTime(updatedAt) },
        { title: 'known by', value: ({ knownBy }) => knownBy },
        { title: 'id', value: ({ id }) => id, wide: true },
      ],
      options.output,
    );
  });
