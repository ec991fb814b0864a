/**
 * The BMCs that speak IPMI only: an `ipmi_sim` of OpenIPMI for each machine. Its chassis-control program asks the twin on a
 * socket in the twin's folder.
 *
 * 1. A simulator ends with the twin, also with one that is killed, where `setpriv` of util-linux is installed. Elsewhere the
 *    next start ends it: its pid is in a file, and it is known by the folder on its command line.
 * 2. The event log is the simulator's own: it is not that of the machine's state.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { answerChassis } from '../../../engine/hardware/twin/ipmi-chassis.ts';
import type { Machine } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { codeOf, messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { KIB } from '../../../engine/vocabulary/units.ts';
import { CommandError } from '../exit-codes.ts';
import { isOnPath } from '../on-path.ts';

const [IPMI_PORT, OTHER_PORT] = [623, 6_623];
const ASKING_MS = 10_000;
const ASKING_LIMIT = 4 * KIB;
/** Bytes of the path of a socket (`sun_path`). */
const PATH_LIMIT = 107;

/** @returns 623, or another one for a user who may not have it */
export async function ipmiPort(address: string): Promise<number> {
  const socket = createSocket('udp4');
  try {
    socket.bind(IPMI_PORT, address);
    await once(socket, 'listening');
    return IPMI_PORT;
  } catch (error) {
    // In use: by a simulator that an earlier twin left, or by another program, which its simulator will name.
    return codeOf(error) === 'EACCES' ? OTHER_PORT : IPMI_PORT;
  } finally {
    socket.close();
  }
}

export class IpmiBmcs {
  readonly #machines: ReadonlyMap<string, Machine>;
  readonly #home: string;
  readonly #port: number;
  readonly #tell: (text: string) => void;
  readonly #simulators: ChildProcess[] = [];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #isEnding = false;

  /** @param data the folder of the twin @param port of all of them, on the addresses of their machines */
  constructor(machines: readonly Machine[], data: string, port: number, tell: (text: string) => void) {
    this.#machines = new Map(machines.map((machine) => [machine.name, machine]));
    this.#home = resolve(data, 'ipmi');
    this.#port = port;
    this.#tell = tell;
  }

  /** @throws CommandError */
  async open(): Promise<void> {
    await endLeftOvers(this.#home);
    if (this.#machines.size === 0) return;
    const path = join(this.#home, 'chassis.sock');
    if (Buffer.byteLength(path) > PATH_LIMIT || /['"\\\n]/.test(path))
      throw new CommandError(`${path}: expected at most ${PATH_LIMIT} bytes and no quotes; name another --data`);
    await mkdir(this.#home, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#home, 'ask.mjs'), askScript(path));
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#answer(socket));
    this.#server.listen(path);
    await once(this.#server, 'listening');
    for (const machine of this.#machines.values()) await this.#start(machine);
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    for (const child of this.#simulators) await endSimulator(child);
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    if (server !== undefined) await new Promise((closed) => server.close(closed));
    await rm(this.#home, { recursive: true, force: true });
  }

  async #start(machine: Machine): Promise<void> {
    const home = join(this.#home, machine.name);
    await mkdir(join(home, 'state'), { recursive: true });
    await writeFile(join(home, 'lan.conf'), this.#configuration(machine), { mode: 0o600 });
    await writeFile(join(home, 'sim.emu'), emulation);
    const args = ['-c', join(home, 'lan.conf'), '-f', join(home, 'sim.emu'), '-s', join(home, 'state'), '-n'];
    const [program, ...before] = endingWithParent;
    const child = spawn(program, [...before, ...args], { stdio: 'ignore' });
    child.once('exit', (code) => {
      if (!this.#isEnding)
        this.#tell(`${machine.name}: its ipmi_sim has ended with ${code}; does something use the port?`);
    });
    await once(child, 'spawn');
    this.#simulators.push(child);
    await writeFile(join(home, 'pid'), `${child.pid}\n`);
  }

  #configuration({ name, facts, state }: Machine): string {
    const [account] = state.bmc.accounts;
    const program = [process.execPath, join(this.#home, 'ask.mjs'), name].map((word) => `'${word}'`).join(' ');
    return `name "${name}"
set_working_mc 0x20
  startlan 1
    addr ${facts.bmcAddress} ${this.#port}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid ${facts.uuid.replaceAll('-', '')}
  endlan
  chassis_control "${program}"
  user 2 true "${account?.user}" "${account?.password}" admin 10 none md2 md5 straight
`;
  }

  async #answer(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {}); // its simulator has ended
    socket.setTimeout(ASKING_MS, () => socket.destroy());
    try {
      let text = '';
      // The end of the loop would destroy the socket before its answer.
      for await (const part of socket.iterator({ destroyOnReturn: false })) {
        text += part;
        if (text.length > ASKING_LIMIT) throw new Error('a question is too long');
      }
      const [name = '', ...words] = JSON.parse(text) as string[];
      const machine = this.#machines.get(name);
      if (machine === undefined || !machine.hasMains) throw new Error(`${name} has no mains`);
      socket.end(`ok\n${await answerChassis(machine, words)}`);
    } catch (error) {
      socket.end(`failed\n${messageOf(error)}\n`);
    }
  }
}

const endingWithParent: readonly [string, ...string[]] = isOnPath('setpriv')
  ? ['setpriv', '--pdeathsig', 'KILL', 'ipmi_sim']
  : ['ipmi_sim'];

const emulation = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0xbf 0x1291 0xf02
sel_enable 0x20 1000 0x0a
mc_enable 0x20
`;

/** The words of the simulator are the last ones: the machine, then `get power`, `set boot pxe` and the like. */
const askScript = (path: string): string => `import { connect } from 'node:net';
const socket = connect(${JSON.stringify(path)});
socket.setEncoding('utf8');
socket.setTimeout(${ASKING_MS}, () => process.exit(1));
socket.on('error', () => process.exit(1));
socket.end(JSON.stringify(process.argv.slice(2)));
let text = '';
for await (const part of socket) text += part;
if (!text.startsWith('ok\\n')) process.exit(1);
process.stdout.write(text.slice(3));
`;

async function endSimulator(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Ends the simulators that a killed twin left. A pid that another process has by now is left alone. */
async function endLeftOvers(home: string): Promise<void> {
  for (const name of await readdir(home).catch(() => [])) {
    const pid = Number(await readFile(join(home, name, 'pid'), 'utf8').catch(() => ''));
    const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
    if (!command.startsWith('ipmi_sim') || !command.includes(join(home, name))) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
  await rm(home, { recursive: true, force: true });
}
