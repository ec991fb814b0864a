/**
 * `npm run install-os -- debian [--release trixie] [--mirror URL]`: a machine gets Debian by `Graph.InstallDebian`, from its power
 * button to a login by SSH: a BMC, PXE, iPXE, debian-installer, a disk that boots. The daemon is killed in the middle. Prints
 * each step of the installer with its minute; exit code 1 if the system differs from the options.
 *
 * It needs what `test/e2e/machine.test.ts` needs, ssh, and a complete mirror, from which it fetches 250 MB the first time, into
 * `nodewright-mirror` in the folder for temporary files. Without KVM it takes half an hour, so it is no part of CI.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { folder } from '../support/ava/folder.ts';
import { OwnScope, type Scope } from '../support/ava/scope.ts';
import { HOST, type Machine, noMachine, openMachine } from '../support/bmcs/machine.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { startMirror } from '../support/servers/mirror.ts';
import { freePort } from '../support/servers/server.ts';

const INSTALLATION_MS = 90 * 60_000;
const LOGIN_MS = 5 * 60_000;
const DISK = 4 * 1024 ** 3;
/** A step of the installer, as its text frontend prints it: a title and two spaces, then the progress or a status bar. */
const STEP = /(?:^|\[0m)([A-Z][\w ,;'-]{3,70}?)(?:\.{3})? {2}/gm;
const template = 'debian-preseed';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    release: { type: 'string', default: 'bookworm' },
    mirror: { type: 'string', default: 'http://deb.debian.org/debian' },
  },
});
if (positionals.join() !== 'debian' || noMachine !== undefined) {
  console.error(`install-os: ${noMachine ?? 'expected the name of a system: debian'}`);
  process.exit(2);
}
const began = Date.now();
const print = (line: string) => console.log(`${((Date.now() - began) / 60_000).toFixed(1).padStart(5)} min  ${line}`);
const limit = setTimeout(() => {
  console.error(`install-os: timed out after ${INSTALLATION_MS / 60_000} minutes`);
  process.exit(1);
}, INSTALLATION_MS);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const scope = new OwnScope();
let code = 1;
try {
  code = (await install(scope)) ? 0 : 1;
} catch (error) {
  console.error('install-os:', error);
} finally {
  await scope.close();
  clearTimeout(limit);
}
process.exit(code);

async function install(t: Scope): Promise<boolean> {
  const [port, sshPort] = [await freePort(), await freePort()];
  const daemon = await startDaemonProcess(t, { port, config: { servicePublicIp: HOST, southboundKeys: 'require' } });
  const machine = await openMachine(t, port, { tftp: true, disk: DISK, sshPort });
  const mirror = await startMirror(t, { origin: values.mirror, home: join(tmpdir(), 'nodewright-mirror') });
  const key = join(folder(t), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);

  // The included answers without the standard system, whose packages take half of the time.
  const included = readFileSync(`engine/inventory/files/templates/${template}`, 'utf8');
  const answers = included.replace('multiselect standard', 'multiselect');
  await daemon.api('PUT', `/templates/library/${template}`, Buffer.from(answers));
  const { body: node } = await daemon.api('POST', '/nodes', { type: 'compute', name: 'n', identifiers: [machine.mac] });
  await daemon.api('PUT', `/nodes/${node.id}/obm`, { service: 'ipmi-obm-service', config: machine.bmc.config });
  const options = {
    'install-debian': {
      repo: mirror.replace('127.0.0.1', HOST),
      version: values.release,
      hostname: 'installed',
      users: [{ name: 'operator', uid: 1_500, sshKey: readFileSync(`${key}.pub`, 'utf8').trim() }],
      installPartitions: [
        { mountPoint: 'swap', size: '256' },
        { mountPoint: '/', size: 'auto' },
      ],
      kargs: { DEBIAN_FRONTEND: 'text' },
    },
  };
  const launched = await daemon.api('POST', `/nodes/${node.id}/workflows?name=Graph.InstallDebian`, { options });
  if (launched.status !== 201) throw new Error(JSON.stringify(launched.body));
  const steps = printSteps(t, machine);
  await seen(async () => [...steps].some((step) => /base system/.test(step)), INSTALLATION_MS);
  await daemon.kill('SIGKILL');
  await daemon.start();
  print('the daemon was killed, and is ready again');
  const row = await ended(daemon, launched.body.id, INSTALLATION_MS);
  print(`the workflow is ${row.status}${row.error === null ? '' : `: ${row.error.code} ${row.error.message}`}`);
  return row.status === 'succeeded' && isAsOrdered(await logIn(sshPort, key));
}

/** @returns the steps so far */
function printSteps(t: Scope, machine: Machine): ReadonlySet<string> {
  const steps = new Set<string>();
  const timer = setInterval(() => {
    for (const [, step = ''] of machine.console().matchAll(STEP)) {
      if (!steps.has(step)) print(step);
      steps.add(step);
    }
  }, 1_000);
  t.teardown(() => clearInterval(timer));
  return steps;
}

/** Tries until the SSH server has started. @returns what the system says about itself */
async function logIn(port: number, key: string): Promise<string> {
  const trust = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'BatchMode=yes'];
  const commands = 'hostname; id; grep CODENAME /etc/os-release; lsblk -bnro NAME,SIZE,FSTYPE,MOUNTPOINT /dev/sda';
  const args = ['-q', '-i', key, '-p', String(port), ...trust, 'operator@127.0.0.1', commands];
  const { stdout } = await seen(() => promisify(execFile)('ssh', args, { timeout: LOGIN_MS }), LOGIN_MS);
  console.log(stdout);
  return stdout;
}

function isAsOrdered(text: string): boolean {
  const system = [/^installed$/m, /^uid=1500\(operator\)/m, new RegExp(`^VERSION_CODENAME=${values.release}$`, 'm')];
  const disk = [/^sda\d 26\d{7} swap \[SWAP\]$/m, /^sda\d 3\d{9} ext4 \/$/m];
  return [...system, ...disk].every((line) => line.test(text));
}
