/**
 * A machine of OpenStack's Redfish emulator (sushy-tools), on a free loopback port. That of its own driver takes seconds to
 * change its power; that of libvirt's test driver, which is in memory, has a BIOS and an update service too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import { accepts, freePort } from '../servers/server.ts';
import { checker } from '../source/deployment.ts';

const program = checker('sushy-emulator');
export const noSushyEmulator = program === undefined ? 'sushy-emulator is not installed' : undefined;

/** Debian's package python3-libvirt; a virtual environment does not see it. */
const PACKAGES = '/usr/lib/python3/dist-packages';
export const noLibvirt =
  noSushyEmulator ?? (existsSync(join(PACKAGES, 'libvirt.py')) ? undefined : 'python3-libvirt is not installed');

const DRIVERS = { own: ['--fake'], libvirt: ['--libvirt-uri', 'test:///default'] } as const;

export interface SushyMachine {
  /** Config of a `redfish-obm-service`. */
  config: { uri: string; username: string; password: string };
  /** Path of its system. */
  system: string;
  /** Returns a resource of the system, such as `` for itself. */
  get(path: string): Promise<Record<string, unknown>>;
}

/** Stopped when its owner ends. */
export async function startSushyEmulator(t: Scope, driver: keyof typeof DRIVERS = 'own'): Promise<SushyMachine> {
  const place = folder(t);
  const file = join(place, 'emulator.conf');
  writeFileSync(file, `SUSHY_EMULATOR_STATE_DIR = ${JSON.stringify(place)}\n`);
  const port = await freePort();
  const args = [...DRIVERS[driver], '--config', file, '--interface', '127.0.0.1', '--port', String(port)];
  const child = spawn(program ?? '', args, {
    cwd: place,
    stdio: 'ignore',
    env: { ...process.env, ...(driver === 'libvirt' && { PYTHONPATH: PACKAGES }) },
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  await accepts(port, child);
  const uri = `http://127.0.0.1:${port}`;
  const read = async (path: string) => (await fetch(`${uri}${path}`)).json() as Promise<Record<string, unknown>>;
  const { Members: members } = await read('/redfish/v1/Systems');
  const [{ '@odata.id': system } = { '@odata.id': '' }] = members as { '@odata.id': string }[];
  return {
    config: { uri, username: 'admin', password: 'password' },
    system,
    get: (path) => read(`${system}${path}`),
  };
}
