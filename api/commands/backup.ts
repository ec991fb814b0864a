/** `nodewright backup`: makes a backup while daemons run or not, verifies it, and restores it while none runs. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createBackup, readConfig, restoreBackup, verifyBackup } from '../../engine/index.ts';
import { type CommandTopic, exitCodeOf } from './topic.ts';

const MIB = 1024 * 1024;

type Summary = Awaited<ReturnType<typeof verifyBackup>>;

const sized = (file: string): string => `${(statSync(file).size / MIB).toFixed(1)} MiB`;

const counted = ({ documents }: Summary): string => {
  const { workflows = 0, nodes = 0, users = 0 } = documents;
  const all = Object.values(documents).reduce((sum, count) => sum + count, 0);
  return `${all} documents: ${workflows} workflows, ${nodes} nodes, ${users} users`;
};

const origin = ({ manifest: { createdAt, nodewright, from } }: Summary): string =>
  `of ${createdAt}, by nodewright ${nodewright} (${from})`;

async function create(file: string): Promise<void> {
  const { createdAt, pausedMs } = await createBackup(readConfig(), resolve(file));
  const waited = pausedMs === undefined ? '' : `; steps waited ${pausedMs} ms`;
  console.log(`${file}: ${sized(file)}, of ${createdAt}${waited}. It contains the keys of all secrets: keep it safe.`);
}

async function verify(file: string): Promise<void> {
  const summary = await verifyBackup(resolve(file));
  console.log(`${file} is whole: ${counted(summary)}; ${origin(summary)}.`);
}

async function restore(file: string, replace: boolean): Promise<void> {
  const summary = await restoreBackup(readConfig(), resolve(file), replace);
  console.log(`Restored ${counted(summary)}; ${origin(summary)}. Start the daemon: workflows continue.`);
}

/** @returns undefined: wrong arguments */
function chosen(action: string | undefined, [first, second, ...more]: readonly string[]): Promise<void> | undefined {
  if (more.length > 0) return undefined;
  const replace = first === '--replace' || second === '--replace';
  const file = first === '--replace' ? second : first;
  if (file === undefined || file === '' || file.startsWith('--')) return undefined;
  if (action === 'restore' && (second === undefined || replace)) return restore(file, replace);
  if (second !== undefined) return undefined;
  if (action === 'create') return create(file);
  return action === 'verify' ? verify(file) : undefined;
}

/** Exit codes: 0 done, 1 refused or failed, with the code of the error. */
export const backupCommand: CommandTopic = {
  usage: ['backup create FILE', 'backup verify FILE', 'backup restore [--replace] FILE'],
  run: ([action, ...given]) => exitCodeOf(chosen(action, given)),
};
