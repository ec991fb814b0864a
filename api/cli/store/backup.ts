/** `nodewright backup`: makes a backup while daemons run or not, verifies it, and restores it while none runs. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createBackup, readConfig, restoreBackup, verifyBackup } from '../../../engine/index.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';

type Summary = Awaited<ReturnType<typeof verifyBackup>>;

const sizeText = (file: string): string => `${(statSync(file).size / MIB).toFixed(1)} MiB`;

const countText = ({ documents }: Summary): string => {
  const { workflows = 0, nodes = 0, users = 0 } = documents;
  const all = Object.values(documents).reduce((sum, count) => sum + count, 0);
  return `${all} documents: ${workflows} workflows, ${nodes} nodes, ${users} users`;
};

const origin = ({ manifest: { createdAt, nodewright, from } }: Summary): string =>
  `of ${createdAt}, by nodewright ${nodewright} (${from})`;

export async function createFile(file: string): Promise<void> {
  const { createdAt, pausedMs } = await createBackup(readConfig(), resolve(file));
  const waited = pausedMs === undefined ? '' : `; steps waited ${pausedMs} ms`;
  console.log(
    `${file}: ${sizeText(file)}, of ${createdAt}${waited}. It contains the keys of all secrets: keep it safe.`,
  );
}

export async function verifyFile(file: string): Promise<void> {
  const summary = await verifyBackup(resolve(file));
  console.log(`${file} is whole: ${countText(summary)}; ${origin(summary)}.`);
}

export async function restoreFile(file: string, replace: boolean): Promise<void> {
  const summary = await restoreBackup(readConfig(), resolve(file), replace);
  console.log(`Restored ${countText(summary)}; ${origin(summary)}. Start the daemon: workflows continue.`);
}
