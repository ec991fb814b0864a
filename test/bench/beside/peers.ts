/**
 * Restate and DBOS as the bench of the peers runs them: `BENCH_PEERS`, by default `../shared/peers-bench`, relative to
 * this project. It is copied, and its packages are installed into the copy.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { packagePath, packageRoot } from '../../../engine/vocabulary/package-path.ts';
import { type Place, Skipped } from '../figure.ts';
import { IN_FLIGHT, type Round } from '../rounds.ts';
import type { Contender } from './contender.ts';

const FOLDER = resolve(packageRoot, process.env.BENCH_PEERS ?? '../shared/peers-bench');
const INSTALL_MS = 300_000;
/** Debian installs PostgreSQL there. */
const POSTGRES = '/usr/lib/postgresql/15/bin/initdb';

const ARGUMENTS = {
  Restate: ['restate', 'workflow', 'restate:4p'],
  DBOS: ['dbos', 'p10', 'pg:on'],
};
export type PeerName = keyof typeof ARGUMENTS;

export interface Peer extends Contender {
  stop(): Promise<void>;
}

/** @returns the folder of the copy @throws Skipped */
export function copyPeers(place: Place): string {
  if (!existsSync(join(FOLDER, 'run.mjs')))
    throw new Skipped("the peers' bench is not beside the project; name its folder in BENCH_PEERS");
  const folder = join(place.folder('peers'), 'bench');
  spawnSync('cp', ['-r', '--no-preserve=mode', FOLDER, folder]);
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, timeout: INSTALL_MS });
  if (status !== 0) throw new Skipped("the packages of the peers' bench cannot be installed");
  return folder;
}

export const hasPostgres = (): boolean => existsSync(POSTGRES);

/** @param folder of the copy */
export async function startPeer(folder: string, name: PeerName): Promise<Peer> {
  const args = [packagePath('test/bench/beside/peer.mjs'), folder, ...ARGUMENTS[name]];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const ask = conversation(child);
  await ask('');
  return {
    round: async (runs) => (await ask(`round ${runs} ${IN_FLIGHT}`)) as unknown as Round,
    idle: async () => (await ask('idle')).ms as number,
    async stop() {
      const gone = new Promise((done) => child.once('exit', done));
      child.stdin?.end();
      await gone;
    },
  };
}

/** Sends a line and returns the next line of the answer. */
function conversation(child: ChildProcess): (line: string) => Promise<Record<string, unknown>> {
  if (child.stdout === null) throw new Error('the peer has no stdout');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (line) => {
    if (line !== '') child.stdin?.write(`${line}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the peer ended');
      if (value.startsWith('{')) return JSON.parse(value);
    }
  };
}
