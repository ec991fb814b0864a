/** Firmware tables of a fictional machine, for the real dmidecode: not every test machine has its own. */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

function structure(type: number, handle: number, fields: Buffer, texts: readonly string[]): Buffer {
  const head = bytes(type, 4 + fields.length, handle & 255, handle >> 8);
  const strings = texts.length === 0 ? '\0\0' : `${texts.join('\0')}\0\0`;
  return Buffer.concat([head, fields, Buffer.from(strings)]);
}

const complement = (part: Buffer): number => -part.reduce((sum, byte) => sum + byte, 0) & 255;

/** Returns a file for `dmidecode --from-dump` with one System Information. */
function smbiosDump(manufacturer: string, product: string): Buffer {
  const uuid = Buffer.alloc(16, 7);
  const system = structure(1, 1, Buffer.concat([bytes(1, 2, 3, 4), uuid, bytes(6, 0, 0)]), [
    manufacturer,
    product,
    '1',
    'S1',
  ]);
  const table = Buffer.concat([system, structure(127, 2, Buffer.alloc(0), [])]);
  const entry = Buffer.alloc(32);
  entry.write('_SM_', 0);
  entry.set([0x1f, 2, 8], 5);
  entry.writeUInt16LE(system.length, 8);
  entry.write('_DMI_', 16);
  entry.writeUInt16LE(table.length, 22);
  entry.writeUInt32LE(entry.length, 24);
  entry.writeUInt16LE(2, 28);
  entry[30] = 0x28;
  entry[21] = complement(entry.subarray(16, 31));
  entry[4] = complement(entry.subarray(0, 31));
  return Buffer.concat([entry, table]);
}

/** @param path the rest of the PATH @returns a PATH with the real dmidecode on the tables of a fictional machine */
export function withTables(t: Scope, path: string): string {
  const own = folder(t);
  const dump = join(own, 'tables');
  writeFileSync(dump, smbiosDump('Example Computers', 'D-1'));
  const real = spawnSync('sh', ['-c', 'command -v dmidecode'], { env: { PATH: path }, encoding: 'utf8' }).stdout.trim();
  writeFileSync(join(own, 'dmidecode'), `#!/bin/sh\nexec '${real}' --from-dump '${dump}' "$@"\n`);
  chmodSync(join(own, 'dmidecode'), 0o755);
  return `${own}:${path}`;
}
