/**
 * The command line: CPU time of all processes of a command, against an embedded daemon. An installed package runs the built
 * program; in a checkout, `nw` looks first whether the sources have changed.
 */
import { spawnSync } from 'node:child_process';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { startDaemon } from './daemon.ts';
import { type Figure, type Line, median, most } from './figure.ts';
import { usageOf } from './usage.ts';

const RUNS = 15;
const CPU = most(150);
const INSTALLED = packagePath('dist/nw.mjs');
const IN_CHECKOUT = packagePath('api/nodewright.mjs');

export const commands: Figure = async (place) => {
  const daemon = await startDaemon(place.folder('commands'));
  const { authorization = '' } = daemon.headers;
  const env = { NW_URL: daemon.origin, NW_TOKEN: authorization.replace('Bearer ', '') };
  try {
    const lines: Line[] = [];
    for (const command of ['--help', 'ps']) {
      const millisOf = (program: string) => median(Array.from({ length: RUNS }, () => cpuOf([program, command], env)));
      lines.push({ name: `nw ${command}, CPU`, value: millisOf(INSTALLED), unit: 'ms', goal: CPU });
      lines.push({ name: `nw ${command}, CPU, in a checkout`, value: millisOf(IN_CHECKOUT), unit: 'ms' });
    }
    return lines;
  } finally {
    await daemon.stop();
  }
};

/** @returns ms of CPU time: that of an ended child is in the usage of this process, which only waits */
function cpuOf(args: readonly string[], env: Readonly<Record<string, string>>): number {
  const before = usageOf(process.pid).cpuSec;
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`nw ${args.join(' ')} failed: ${stderr}`);
  return (usageOf(process.pid).cpuSec - before) * 1_000;
}
