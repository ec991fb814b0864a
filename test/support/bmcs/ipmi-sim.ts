/**
 * A BMC: OpenIPMI's simulator on a free local port, with a user, a SEL and a chassis whose power is a script of ours.
 * The script records every action on arrival, so its ledger contains the commands that the machine got, and their
 * number.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { folder } from '../ava/folder.ts';
import { onPath } from '../ava/on-path.ts';
import { WAIT_MS } from '../ava/patience.ts';
import type { Scope } from '../ava/scope.ts';

const run = promisify(execFile);
const [USER, PASSWORD] = ['root', 'calvin-and-hobbes'];
const SIMULATOR_LOOK_MS = 20;

/** The reason why the simulator cannot run here; undefined: it can. */
export const noIpmiSim = ['ipmi_sim', 'ipmitool'].every(onPath)
  ? undefined
  : 'ipmi_sim and ipmitool are not on the PATH (Debian: openipmi, ipmitool)';

/** Killed when the test process is ended. */
const running = new Set<IpmiSim>();
process.once('exit', () => {
  for (const sim of running) sim.drop();
});

export class IpmiSim {
  readonly #home: string;
  readonly port: number;
  /** At its start. */
  readonly #password: string;
  /** TCP port of the machine's serial port; undefined: it has none. */
  readonly #serialPort: number | undefined;
  #child: ChildProcess | undefined;

  constructor(home: string, port: number, password: string, serialPort?: number) {
    this.#home = home;
    this.port = port;
    this.#password = password;
    this.#serialPort = serialPort;
  }

  /** Config of an `ipmi-obm-service`. */
  get config() {
    return { host: '127.0.0.1', port: this.port, user: USER, password: this.#password };
  }

  /** All changes, oldest first, such as `power 1` and `boot pxe`. */
  get ledger(): string[] {
    const text = existsSync(this.#path('ledger')) ? readFileSync(this.#path('ledger'), 'utf8') : '';
    return text.split('\n').flatMap((line) => (line.startsWith('set ') ? [line.slice(4)] : []));
  }

  get power(): 'on' | 'off' {
    return existsSync(this.#path('power')) && readFileSync(this.#path('power'), 'utf8').trim() === '1' ? 'on' : 'off';
  }

  set power(state: 'on' | 'off') {
    writeFileSync(this.#path('power'), state === 'on' ? '1\n' : '0\n');
  }

  /** Actions are recorded, but neither performed nor answered until they are released. */
  hold(): void {
    writeFileSync(this.#path('hold'), '');
  }

  letGo(): void {
    rmSync(this.#path('hold'), { force: true });
  }

  /** Connects a machine: the script is run with 1 or 0 when the power is switched, in the returned folder. */
  wire(script: string): string {
    writeFileSync(this.#path('switched'), script, { mode: 0o755 });
    return this.#home;
  }

  /** Delays each action. */
  slow(seconds: number): void {
    writeFileSync(this.#path('slow'), String(seconds));
  }

  /** The next action is performed immediately; then the BMC does not answer anything for this time. */
  silent(seconds: number): void {
    writeFileSync(this.#path('silent'), String(seconds));
  }

  /** The next action is performed after this time; until then the BMC does not answer anything. */
  late(seconds: number): void {
    writeFileSync(this.#path('late'), String(seconds));
  }

  /** The chassis rejects every action. */
  reject(): void {
    writeFileSync(this.#path('refuse'), '');
  }

  /** The chassis accepts every action and does nothing. */
  ignore(): void {
    writeFileSync(this.#path('ignore'), '');
  }

  /** Clears the ledger. */
  forget(): void {
    rmSync(this.#path('ledger'), { force: true });
  }

  /** Resolves when the ledger has that many actions. */
  async asked(count: number): Promise<void> {
    while (this.ledger.length < count) await setTimeout(SIMULATOR_LOOK_MS);
  }

  /** SIGSTOP: the BMC accepts packets but does not answer; SIGCONT: it answers again. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Returns the output of ipmitool. */
  async tool(...args: string[]): Promise<string> {
    const session = ['-I', 'lanplus', '-C', '3', '-H', '127.0.0.1', '-p', String(this.port), '-U', USER, '-E'];
    const env = { ...process.env, IPMITOOL_PASSWORD: this.#password };
    const { stdout } = await run('ipmitool', [...session, ...args], { env, timeout: WAIT_MS });
    return stdout;
  }

  /**
   * Adds an entry to the system event log (IPMI 2.0, 31.6), because the simulator accepts no platform events.
   * @param type of the sensor, 1 a temperature @param kind of the event, 1 a threshold; plus 0x80: deasserted
   * @param data the state, such as 9: upper critical, going high; 7: upper non-critical, going high
   */
  async log(type: number, kind: number, data: number): Promise<void> {
    const record = [0, 0, 2, 0, 0, 0, 0, 0x41, 0, 4, type, 0x30, kind, data, 0, 0];
    await this.tool('raw', '0x0a', '0x44', ...record.map((byte) => `0x${byte.toString(16).padStart(2, '0')}`));
  }

  async start(): Promise<void> {
    await mkdir(this.#path('state'), { recursive: true });
    writeFileSync(this.#path('lan.conf'), lanConf(this.port, this.#path('chassis'), this.#password, this.#serialPort));
    writeFileSync(this.#path('sim.emu'), emulation);
    writeFileSync(this.#path('chassis'), chassis(this.#home), { mode: 0o755 });
    const args = ['-c', this.#path('lan.conf'), '-f', this.#path('sim.emu'), '-s', this.#path('state'), '-n'];
    this.#child = spawn('ipmi_sim', args, { stdio: 'ignore', detached: true });
    running.add(this);
    const end = performance.now() + WAIT_MS;
    while (!(await this.#answers())) {
      if (performance.now() > end || this.#child.exitCode !== null) throw new Error('ipmi_sim does not answer');
      await setTimeout(SIMULATOR_LOOK_MS);
    }
  }

  #answers(): Promise<boolean> {
    return this.tool('mc', 'info').then(
      () => true,
      () => false,
    );
  }

  async stop(): Promise<void> {
    const child = this.#child;
    running.delete(this);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    this.drop();
    await exited;
  }

  /** Kills it with its scripts: they form a process group. */
  drop(): void {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  }

  #path(name: string): string {
    return join(this.#home, name);
  }
}

/** Stopped when the test ends. @param serialPort TCP port that is the serial port of its machine; absent: it has none */
export async function startIpmiSim(t: Scope, password = PASSWORD, serialPort?: number): Promise<IpmiSim> {
  const sim = new IpmiSim(folder(t), await freePort(), password, serialPort);
  t.teardown(() => sim.stop());
  await sim.start();
  return sim;
}

/** Returns a free UDP port. */
export async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

const lanConf = (port: number, script: string, password: string, serialPort?: number) => `name "sim"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 ${port}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  ${serialPort === undefined ? '' : `sol "tcp:127.0.0.1:${serialPort}" 115200`}
  chassis_control "${script} 0x20"
  user 1 true "" "test" user 10 none md2 md5 straight
  user 2 true "${USER}" "${password}" admin 10 none md2 md5 straight
`;

const emulation = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0xbf 0x1291 0xf02
sel_enable 0x20 1000 0x0a
mc_enable 0x20
`;

const chassis = (home: string) => `#!/bin/sh
cd '${home}' || exit 1
shift
echo "$*" >> ledger
op=$1
shift
if [ "$op" = set ]; then
  while [ -e hold ]; do sleep 0.02; done
  if [ -e slow ]; then sleep "$(cat slow)"; fi
  if [ -e late ]; then wait=$(cat late); rm late; sleep "$wait"; fi
  if [ -e refuse ]; then exit 1; fi
  if [ -e ignore ]; then exit 0; fi
fi
while [ $# -gt 0 ]; do
  case "$op $1" in
    'get power') echo "power:$(cat power 2>/dev/null || echo 0)" ;;
    'get boot') echo "boot:$(cat boot 2>/dev/null || echo none)" ;;
    'set power') echo "$2" > power; if [ -x switched ]; then ./switched "$2"; fi ;;
    'set reset') if [ -x switched ]; then ./switched 0; ./switched 1; fi ;;
    'set boot') echo "$2" > boot ;;
  esac
  if [ "$op" = set ]; then shift; fi
  shift
done
if [ "$op" = set ] && [ -e silent ]; then wait=$(cat silent); rm silent; sleep "$wait"; fi
exit 0
`;
