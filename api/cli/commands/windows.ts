/** `nw windows`, `nw window`: the times at which changes may begin. */
import type { Command } from 'commander';
import type { NewWindow } from '../../../engine/api-port/windows.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { onRecord } from '../id-of.ts';
import { jsonRecord, position } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { spanOption } from '../span-option.ts';
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
  connecting(window.command('add'))
    .argument('<window>', 'its name; or the window as JSON, or its file: name, zone, spans, closed, leadMinutes')
    .description('creates a window, and prints its id')
    .option('--span <times>', 'when it is open, such as "mon-fri 22:00-05:00"; may be repeated', spanOption)
    .option('--zone <zone>', 'of these times: an IANA zone, such as Europe/Berlin')
    .option('--lead <minutes>', 'nothing begins so shortly before it closes', position)
    .action(add);
  connecting(window.command('remove <window>')).description('deletes a window').action(remove);
}

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/windows', { query }));
    showList(body, columns, options.output, total);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('window', given, options, async (client, params) => {
    const { body } = await client.get('/windows/:id', { params });
    showList([body], columns, options.output);
  });

interface NewWindowFlags extends ConnectionOptions {
  span?: NewWindow['spans'];
  zone?: string;
  lead?: number;
}

const add = (given: string, { span: spans, zone, lead, ...options }: NewWindowFlags): Promise<void> =>
  withClient(options, async (client) => {
    const body = spans === undefined ? (jsonRecord(given) as NewWindow) : windowOf(given, spans, zone);
    const { id } = (
      await client.post('/windows', { body: { ...body, ...(lead !== undefined && { leadMinutes: lead }) } })
    ).body;
    say(id);
  });

function windowOf(name: string, spans: NewWindow['spans'], zone: string | undefined): NewWindow {
  if (zone === undefined)
    throw new CommandError(
      'found --span without --zone; expected the zone of its times, such as Europe/Berlin',
      EXIT.usage,
    );
  return { name, zone, spans };
}

const remove = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('window', given, options, (client, params) => client.remove('/windows/:id', { params }));
