/** `nw node hardware`: what a machine consists of, by its latest catalogs. */
import type { Command } from 'commander';
import {
  biosText,
  driveKindText,
  interfaceText,
  modelText,
  processorsText,
  type ShownHardware,
} from '../../client/hardware-texts.ts';
import { memoryText, sizeText } from '../../client/size-text.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { nodeOf } from '../node-of.ts';
import { showList, showRecord, type TableColumn } from '../output.ts';
import { say } from '../terminal.ts';

const driveColumns: TableColumn<ShownHardware['drives'][number]>[] = [
  { title: 'drive', value: ({ name }) => name },
  { title: 'model', value: ({ model }) => model },
  { title: 'serial', value: ({ serial }) => serial },
  { title: 'kind', value: (drive) => driveKindText(drive) || null },
  { title: 'size', value: ({ bytes }) => bytes && sizeText(bytes) },
  { title: 'wear', value: ({ wearPercent }) => (wearPercent === null ? null : `${wearPercent} %`) },
  { title: 'failing', value: ({ failing }) => failing },
];

/** @param node the command `nw node` */
export function addHardwareCommand(node: Command): void {
  connecting(node.command('hardware <node>'))
    .description('shows the hardware of a node, as its latest catalogs describe it')
    .action(show);
}

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { output } = options;
    const { id } = await nodeOf(client, given);
    const { body } = await client.get('/nodes/:identifier/hardware', { params: { identifier: id } });
    showRecord(
      body,
      [
        ['model', modelText(body) || null],
        ['serial', body.serial],
        ['bios', biosText(body) || null],
        ['processors', processorsText(body) || null],
        ['memory', body.memoryBytes && memoryText(body.memoryBytes)],
        ['bmc', body.bmc && [body.bmc.address, body.bmc.firmware && `firmware ${body.bmc.firmware}`].filter(Boolean)],
        ['interfaces', body.interfaces.map(interfaceText)],
        ['catalogs', body.catalogs.map(({ source }) => source)],
      ],
      output,
    );
    if (body.drives.length === 0 || output === 'json' || output === 'jsonl') return;
    say('');
    showList(body.drives, driveColumns, output);
  });
