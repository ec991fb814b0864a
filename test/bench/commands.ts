/**
 * The command line: CPU time of all processes of a command, against an embedded daemon. In a checkout, `nw` looks first
 * whether the sources have changed; an installed package has no sources.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { startDaemon } from './daemon.ts';
import { type Figure, type Line, median, most } from './figure.ts';
import { usageOf } from './usage.ts';

const RUNS = 15;
const CPU = most(150);
const IN_CHECKOUT = packagePath('api/nw');

export const commands: Figure = async (place) => {
  const daemon = await startDaemon(place.folder('commands'));
  const installed = installedIn(place.folder('installed'));
  const { authorization = '' } = daemon.headers;
  const env = { NW_URL: daemon.origin, NW_TOKEN: authorization.replace('Bearer ', '') };
  try {
    const lines: Line[] = [];
    for (const command of ['--help', 'ps']) {
      const millisOf = (program: string) => median(Array.from({ length: RUNS }, () => cpuOf(program, command, env)));
      lines.push({ name: `nw ${command}, CPU`, value: millisOf(installed), unit: 'ms', goal: CPU });
      lines.push({ name: `nw ${command}, CPU, in a checkout`, value: millisOf(IN_CHECKOUT), unit: 'ms' });
    }
    return lines;
  } finally {
    await daemon.stop();
  }
};

/** @returns the program as in a package, which has no folder to build from */
function installedIn(folder: string): string {
  mkdirSync(join(folder, 'api'));
  for (const name of ['nw', 'nodewright.mjs']) copyFileSync(packagePath(`api/${name}`), join(folder, 'api', name));
  symlinkSync(packagePath('dist'), join(folder, 'dist'));
  return join(folder, 'api/nw');
}

/** @returns ms of CPU time: that of an ended child is in the usage of this process, which only waits */
function cpuOf(program: string, command: string, env: Readonly<Record<string, string>>): number {
  const before = usageOf(process.pid).cpuSec;
  const { status, stderr } = spawnSync(program, [command], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`nw ${command} failed: ${stderr}`);
  return (usageOf(process.pid).cpuSec - before) * 1_000;
}
