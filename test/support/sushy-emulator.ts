/** A machine of OpenStack's Redfish emulator (sushy-tools), on a free loopback port. Its power takes seconds to change. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checker } from './deployment.ts';
import { folder } from './folder.ts';
import type { Scope } from './scope.ts';
import { accepts, freePort } from './server.ts';

const program = checker('sushy-emulator');
export const noSushyEmulator = program === undefined ? 'sushy-emulator is not installed' : undefined;

const START_MS = 30_000;

export interface SushyMachine {
  /** Config of a `redfish-obm-service`. */
  config: { uri: string; username: string; password: string };
  /** Returns a resource of the system, such as `` for itself. */
  get(path: string): Promise<Record<string, unknown>>;
}

/** Stopped when its owner ends. */
export async function startSushyEmulator(t: Scope): Promise<SushyMachine> {
  const place = folder(t);
  const file = join(place, 'emulator.conf');
  writeFileSync(file, `SUSHY_EMULATOR_STATE_DIR = ${JSON.stringify(place)}\n`);
  const port = await freePort();
  const args = ['--fake', '--config', file, '--interface', '127.0.0.1', '--port', String(port)];
  const child = spawn(program ?? '', args, { cwd: place, stdio: 'ignore' });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  await accepts(port, child, START_MS);
  const uri = `http://127.0.0.1:${port}`;
  const read = async (path: string) => (await fetch(`${uri}${path}`)).json() as Promise<Record<string, unknown>>;
  const { Members: members } = await read('/redfish/v1/Systems');
  const [{ '@odata.id': system } = { '@odata.id': '' }] = members as { '@odata.id': string }[];
  return {
    config: { uri, username: 'admin', password: 'password' },
    get: (path) => read(`${system}${path}`),
  };
}
