/** The command line: CPU time of all processes of a command, against an embedded daemon. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { startDaemon } from './daemon.ts';
import { type Figure, type Line, median, most } from './figure.ts';

const RUNS = 15;
const CPU = most(150);

export const commands: Figure = async (place) => {
  const daemon = await startDaemon(place.folder('commands'));
  const { authorization = '' } = daemon.headers;
  const env = { NW_URL: daemon.origin, NW_TOKEN: authorization.replace('Bearer ', '') };
  try {
    const lines: Line[] = [];
    for (const args of [['--help'], ['ps']]) {
      const millis: number[] = [];
      while (millis.length < RUNS) millis.push(await cpuOf(args, env));
      lines.push({ name: `nw ${args}, CPU`, value: median(millis), unit: 'ms', goal: CPU });
    }
    return lines;
  } finally {
    await daemon.stop();
  }
};

/** @returns ms of CPU time, as Node counts that of children that have ended */
async function cpuOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const script = `
    const { spawnSync } = require('node:child_process');
    const { status, stderr } = spawnSync(process.execPath, ${JSON.stringify([packagePath('api/nodewright.mjs'), ...args])}, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    const fields = require('node:fs').readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    console.log((Number(fields[13]) + Number(fields[14])) * 10);
  `;
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`nw ${args.join(' ')} failed`);
  return Number(output);
}
