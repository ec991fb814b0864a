/** The daemon of a demo: a process of its own on a folder of its own, on the usual ports or the next free ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, fstatSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError } from '../exit-codes.ts';

export interface DemoDaemon {
  url: string;
  south: string;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Resolves when it has stopped. */
  stop(): Promise<void>;
}

const [NORTH, SOUTH] = [8_080, 9_080];
const PORTS_TRIED = 100;
const DAEMON_START_MS = 60_000;
const LOOK_MS = 200;
/** A BMC that does not answer is given up soon, and its circuit stays open for the whole demo. */
const obm = { timeoutMs: 2_000, failures: 2, backoffMs: 3_600_000 };

/** How often it is started again, with the next ports. */
const STARTS = 5;

/** @throws CommandError if it does not start */
export async function startDemoDaemon(folder: string, signal: AbortSignal): Promise<DemoDaemon> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(folder, signal);
    } catch (error) {
      // Another demo that started in the same moment chose the same port, and was quicker.
      if (starts === STARTS || !/EADDRINUSE/.test(messageOf(error))) throw error;
    }
  }
}

async function startOnce(folder: string, signal: AbortSignal): Promise<DemoDaemon> {
  const config = join(folder, 'config.json');
  const [lastNorth, lastSouth] = await lastPorts(config);
  const [north, south] = [await nextFreePort(lastNorth ?? NORTH), await nextFreePort(lastSouth ?? SOUTH)];
  const endpoint = (port: number, name: string) => ({ address: '127.0.0.1', port, routers: `${name}bound-api-router` });
  const settings = {
    httpEndpoints: [{ ...endpoint(north, 'north'), authEnabled: true }, endpoint(south, 'south')],
    dataDir: join(folder, 'data'),
    obm,
  };
  await writeFile(config, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  const log = join(folder, 'daemon.log');
  const out = openSync(log, 'a', 0o600);
  const { size } = fstatSync(out);
  const child = spawn(process.execPath, [packagePath('api/nodewright.mjs'), 'serve', '--config', config], {
    // With this channel it ends when the demo does, also when that is killed.
    stdio: ['ignore', out, out, 'ipc'],
  });
  const ended = once(child, 'exit').then(() => {});
  const url = `http://127.0.0.1:${north}`;
  const stop = async () => {
    if (child.connected) child.disconnect();
    await ended;
  };
  try {
    await untilReady(url, ended, signal, { log, from: size });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, south: `http://127.0.0.1:${south}`, ended, stop };
}

/** Returns the ports of the last start: users have the URL of the console. */
async function lastPorts(config: string): Promise<(number | undefined)[]> {
  if (!existsSync(config)) return [];
  const { httpEndpoints = [] } = JSON.parse(await readFile(config, 'utf8')) as { httpEndpoints?: { port?: number }[] };
  return httpEndpoints.map(({ port }) => port);
}

/** The lines that the daemon has written since its start. */
interface OwnLog {
  log: string;
  /** Bytes that earlier daemons wrote. */
  from: number;
}

async function untilReady(url: string, ended: Promise<void>, signal: AbortSignal, lines: OwnLog): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  for (
    const until = Date.now() + DAEMON_START_MS;
    Date.now() < until && !hasEnded;
    await sleep(LOOK_MS, undefined, { signal })
  ) {
    // Until then, the daemon of another demo may answer at this port.
    if (!(await text(createReadStream(lines.log, { start: lines.from }))).includes('"msg":"listening"')) continue;
    const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined);
    if (answer?.ok === true) return;
  }
  const reason = await lastLine(lines.log);
  throw new CommandError(`the daemon of the demo did not start: ${reason}; all of it is in ${lines.log}`);
}

async function lastLine(file: string): Promise<string> {
  if (!existsSync(file)) return 'it wrote no log';
  return (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1)?.slice(0, 300) ?? '';
}

/** Returns the port, or the next one without a listener. */
export async function nextFreePort(first: number, address = '127.0.0.1'): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED; port += 1) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, address, () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
  throw new CommandError(`all ports from ${first} to ${first + PORTS_TRIED - 1} are in use`);
}
