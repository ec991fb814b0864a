/** `nw windows`, `nw window`: the times at which changes may begin. */
import type { Command } from 'commander';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { jsonFile } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Window = GetAnswer<'/windows'>[number];

const columns: TableColumn<Window>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'zone', value: ({ zone }) => zone },
  { title: 'now', value: ({ open }) => (open ? 'open' : 'closed') },
  { title: 'closes', value: ({ closesAt }) => shownTime(closesAt) ?? '-' },
  { title: 'opens next', value: ({ next }) => shownTime(next?.opensAt) ?? '-' },
];

export function addWindowCommands(root: Command): void {
  connecting(root.command('windows')).description('lists windows, and when they open').action(list);
  const window = root.command('window').description('the times at which changes may begin');
  connecting(window.command('show <window>')).description('shows a window, by its id').action(show);
  connecting(window.command('add <file>'))
    .description('creates a window of a JSON file: name, zone, spans, closed; prints its id')
    .action(add);
  connecting(window.command('remove <window>')).description('deletes a window').action(remove);
}

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/windows', { query }));
    showList(body, columns, options.output, total);
  });

const show = (id: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/windows/:id', { params: { id } });
    showList([body], columns, options.output);
  });

const add = (file: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/windows', { body: jsonFile(file) as never });
    say(body.id);
  });

const remove = (id: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, (client) => client.remove('/windows/:id', { params: { id } }));
