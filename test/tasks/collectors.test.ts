/** The commands of collectors: POSIX scripts, and the output on this machine of those that need no tool. */
import { execFileSync, spawnSync } from 'node:child_process';
import test from 'ava';
import { initialTransition } from 'xstate';
import type { Command } from '../../engine/define/index.ts';
import { catalogOf } from '../../engine/inventory/agents/output-formats.ts';
import { needing } from '../support/ava/needs.ts';
import { everyTask } from '../support/data/catalogue.ts';

const collectors = everyTask.filter(({ name }) => name.startsWith('Task.Catalog.'));

const commands = collectors.flatMap(({ machine, defaults }): Command[] => {
  const [{ context }] = initialTransition(machine, { options: defaults, nodeId: 'n', workflowId: 'w' });
  return (context as { commands: Command[] }).commands;
});

const has = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

test('every collector is built in, names its catalog, and may run twice because it changes nothing', (t) => {
  const sources = commands.map(({ catalog }) => catalog?.source).sort();
  const ofIpmi = ['ipmi-fru', 'ipmi-mc-info', 'ipmi-sel', 'ipmi-sel-information', 'ipmi-user-list-1'];
  t.deepEqual(sources, [
    ...[
      'bmc',
      'dmi',
      'driveId',
      'ethtool',
      'gpu',
      ...ofIpmi,
      'lldp',
      'lsblk',
      'lshw',
      'lspci',
      'ohai',
      'smart',
      'version',
    ],
  ]);
  t.true(collectors.every(({ recovery }) => recovery === 'idempotent'));
});

needing(has('shellcheck') ? undefined : 'shellcheck is not installed').serial(
  'shellcheck finds nothing in the scripts of collectors',
  (t) => {
    for (const { command, catalog } of commands) {
      // shellcheck cannot follow files of the node here.
      const args = ['-s', 'sh', '-e', 'SC1091', '-'];
      t.notThrows(() => execFileSync('shellcheck', args, { input: command }), catalog?.source);
    }
  },
);

needing(has('lsblk') ? undefined : 'lsblk is not installed').serial(
  'the collectors that need only a plain Linux produce catalogs here',
  (t) => {
    for (const source of ['driveId', 'lsblk', 'ohai']) {
      const { command, catalog } = commands.find((one) => one.catalog?.source === source) as Command;
      const data = catalogOf(catalog?.format ?? 'raw', execFileSync('sh', ['-c', command], { encoding: 'utf8' }));
      if (source === 'ohai') t.like(data, { kernel: { name: 'Linux' } });
      if (source === 'driveId') t.true(Array.isArray(data));
      if (source === 'lsblk') t.true(Array.isArray(data.blockdevices));
    }
  },
);
