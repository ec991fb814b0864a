/** The job that writes an image, as the node runs it, as far as it comes without a disk. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeImageCommand } from '../../../../engine/hardware/install/image-commands.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';

const lacks = spawnSync('sh', ['-c', 'command -v curl']).status === 0 ? undefined : 'curl is not installed';
const SCRIPT_LOOK_MS = 20;

/** Programs that the job needs, for a disk that is a file; curl tells when it has failed. */
const programs: Record<string, string> = {
  blockdev: 'echo 1048576',
  lsblk: 'echo 0x5000',
  sfdisk: ':',
  'mkfs.vfat': ':',
  curl: 'PATH=$REST curl "$@"; code=$?; if [ "$code" = 7 ]; then : >"$REFUSED"; fi; exit $code',
};

needing(lacks).serial('a server that is down when the job begins is waited for', async (t) => {
  const at = folder(t);
  for (const name of ['bin', 'dev', 'jobs']) mkdirSync(join(at, name));
  writeFileSync(join(at, 'dev/sdz'), '');
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(at, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(at, 'bin', name), 0o755);
  }
  const server = createServer((_, response) => response.end('not an image'));
  const listening = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listening(0);
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const image = { url: `http://127.0.0.1:${port}/a.img`, sha256: 'a'.repeat(64), format: 'raw' };
  const { command } = writeImageCommand({
    run: 'r',
    devName: 'sdz',
    wwid: 'naa.5000',
    grow: false,
    seed: {},
    ...image,
  });
  const { PATH = '' } = process.env;
  const rejected = join(at, 'rejected');
  const places = { NODEWRIGHT_DEVICES: join(at, 'dev'), NODEWRIGHT_JOBS: join(at, 'jobs') };
  const pauses = { NODEWRIGHT_PAUSE: '0.1', NODEWRIGHT_POLL: '0.1' };
  const env = { PATH: `${join(at, 'bin')}:${PATH}`, REST: PATH, REFUSED: rejected, ...places, ...pauses };
  const job = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  job.stdout.on('data', (part) => {
    said += part;
  });
  const ended = new Promise((resolve) => job.once('close', resolve));
  t.teardown(() => void server.close());
  while (!existsSync(rejected) && job.exitCode === null) await setTimeout(SCRIPT_LOOK_MS);
  await listening(port);
  await ended;
  // It was fetched, so the daemon was waited for; the checksum is another matter.
  t.regex(said, /code IMAGE_MISMATCH/, readFileSync(join(at, 'jobs/r/log'), 'utf8'));
});
