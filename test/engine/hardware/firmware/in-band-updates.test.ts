/** Firmware in band: the scripts as the node runs them, with tools that print what real ones do, and what becomes of their lines. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { activityFunction } from '../../../../engine/define/operation.ts';
import { type DeviceUpdate, updateViolations } from '../../../../engine/hardware/firmware/device-updates.ts';
import {
  concludeUpdate,
  type PlannedUpdate,
  planUpdate,
  type UpdatedDevice,
  type VerifiedFirmware,
  verifyUpdates,
} from '../../../../engine/hardware/firmware/in-band-updates.ts';
import { deviceLook, updateCommand } from '../../../../engine/hardware/firmware/update-commands.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';
import { Bay } from '../../../support/bmcs/bay.ts';

const lacks = (name: string) => (onPath(name) === undefined ? `${name} is not installed` : undefined);
const withShellcheck = needing(lacks('shellcheck'));
const withCurl = needing(lacks('curl') ?? lacks('setsid'));

const CONTENT = 'new firmware';
const sha256 = createHash('sha256').update(CONTENT).digest('hex');
const updateOf = (more: Partial<DeviceUpdate>): DeviceUpdate => ({
  kind: 'nvme',
  model: 'ACME Flash 3*',
  version: 'F2',
  file: 'drives/f2.bin',
  sha256,
  ...more,
});

const disks = [
  { name: 'nvme0n1', wwn: '1', facts: { VENDOR: '', TRAN: 'nvme' } },
  { name: 'nvme0n2', wwn: '2', facts: { VENDOR: '', TRAN: 'nvme' } },
  { name: 'nvme1n1', wwn: '3', facts: { VENDOR: '', TRAN: 'nvme' } },
  { name: 'sda', wwn: '4', facts: { VENDOR: 'ATA', TRAN: 'sas' } },
  { name: 'sdb', wwn: '5', facts: { VENDOR: 'ACME', TRAN: 'sas' } },
];

/** Each drive says the version in its file, and has that of the written file after `tool`; its calls are in the ledger. */
const tools: Record<string, string> = {
  nvme: `case $1 in
    id-ctrl)
      name=$(basename "$2")
      printf 'NVME Identify Controller:\\nvid       : 0x144d\\nsn        : S-%s   \\nmn        : ACME Flash 3200   \\nfr        : %s\\n' "$name" "$(cat "$bay/$name.version")"
      printf 'subnqn    : nqn.2014.08:%s\\n' "$name"
      exit ;;
    fw-commit) if [ -e "$bay/busy" ]; then echo 'NVMe status: Invalid Firmware Image'; exit 1; fi
      if [ -e "$bay/late" ]; then echo 'Success activating firmware action:1 slot:0, but firmware requires a conventional reset'; exit 11; fi ;;
    fw-download) while [ -e "$bay/hold" ]; do sleep 0.05; done ;;
    reset) if [ ! -e "$bay/late" ]; then echo F2 >"$bay/$(basename "$2").version"; fi ;;
  esac
  echo "nvme $*" | sed "s|$bay||g; s|--fw=.*/|--fw=|" >>"$bay/ledger"`,
  hdparm: `if [ "$1" = -I ]; then
    printf '\\n/dev/sda:\\n\\nATA device\\n\\tModel Number:       ACME Disk 4 \\n\\tSerial Number:      S-SDA\\n\\tFirmware Revision:  %s\\n\\tTransport: Serial\\n' "$(cat "$bay/sda.version")"
    exit
  fi
  echo "hdparm $*" | sed "s|$bay||g; s|/[^ ]*/f2|f2|" >>"$bay/ledger"; echo F2 >"$bay/sda.version"`,
  sg_inq: `printf 'standard INQUIRY:\\n Vendor identification: ACME    \\n Product identification: SAS 9 \\n Product revision level: %s\\n Unit serial number: S-SDB\\n' "$(cat "$bay/sdb.version")"`,
  sg_write_buffer: `echo "sg_write_buffer $*" | sed "s|$bay||g; s|/[^ ]*/f2|f2|" >>"$bay/ledger"; echo F2 >"$bay/sdb.version"`,
};

/** A machine with two controllers of NVMe, one of which has two namespaces, a drive of SATA and one of SAS, and the daemon's files. */
async function scene(t: ExecutionContext, content = CONTENT, stored = content) {
  const bay = new Bay(t, disks);
  for (const [name, text] of Object.entries(tools)) bay.program(name, `${text}\n`);
  for (const name of ['nvme0', 'nvme1', 'sda', 'sdb']) writeFileSync(join(bay.home, `${name}.version`), 'F1\n');
  const fetched: string[] = [];
  const server = createServer((request, response) => {
    fetched.push(String(request.url));
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...bay.env, NODEWRIGHT_PAUSE: '0.01', TMPDIR: bay.home, NODEWRIGHT_SILENT: '1' };
  const sh = async (command: string, more = {}) => {
    const child = spawn('sh', ['-c', command], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.on('data', (part) => {
      stdout += part;
    });
    const [exitCode] = await once(child, 'close');
    return { exitCode: Number(exitCode), stdout, stderr: '' };
  };
  const file = async (name: string) =>
    name === 'missing' ? undefined : { sha256: createHash('sha256').update(stored).digest('hex') };
  /** The kernel of this machine does not know the address of the daemon: its path becomes a URL. */
  const next = async (updates: DeviceUpdate[], outputs: UpdatedDevice[] = [], operationId = 'w/update/1') => {
    const { stdout } = await sh(deviceLook(updates).command);
    const scope = { input: { options: { updates }, stdout, outputs }, nodeId: 'n', operationId, services: { file } };
    const { job } = (await activityFunction(planUpdate)(scope as never)) as { job: PlannedUpdate | null };
    return job && { ...job, wanted: { ...job.wanted, url: `${base}/${job.wanted.url}` } };
  };
  const conclude = (plan: PlannedUpdate, result: object) =>
    activityFunction(concludeUpdate)({ input: { plan, result } } as never) as Promise<UpdatedDevice>;
  const run = async (plan: PlannedUpdate | null) => {
    if (plan === null) throw new Error('nothing was planned');
    return conclude(plan, await sh(updateCommand(plan).command));
  };
  /** As the task does it. */
  const all = async (updates: DeviceUpdate[]) => {
    const outputs: UpdatedDevice[] = [];
    for (let job = await next(updates); job !== null; job = await next(updates, outputs)) outputs.push(await run(job));
    return outputs;
  };
  const catalogs: unknown[] = [];
  const services = { addCatalog: async (...catalog: unknown[]) => void catalogs.push(catalog) };
  const verify = async (updates: DeviceUpdate[], updated: UpdatedDevice[], mayLack = false) => {
    const { stdout } = await sh(deviceLook(updates).command);
    const input = { options: { updates, updated, mayLack }, stdout };
    return activityFunction(verifyUpdates)({ input, nodeId: 'n', services } as never) as Promise<VerifiedFirmware>;
  };
  return { bay, sh, next, run, all, verify, conclude, fetched, catalogs };
}

withShellcheck.serial('shellcheck finds nothing in the scripts', async (t) => {
  const folder = new URL('../../../../engine/hardware/', import.meta.url);
  const files = ['firmware/scripts/', 'jobs/scripts/'].flatMap((name) =>
    readdirSync(new URL(name, folder)).map((file) => new URL(name + file, folder).pathname),
  );
  t.is(files.length, 7);
  const child = spawn('shellcheck', files);
  let said = '';
  child.stdout.on('data', (part) => {
    said += part;
  });
  await once(child, 'close');
  t.is(said, '');
});

withCurl.serial('drives of each kind are asked and updated by their own tools, a controller once', async (t) => {
  const it = await scene(t);
  writeFileSync(join(it.bay.home, 'nvme1.version'), 'F2\n');
  const updates = [
    updateOf({ slot: 2 }),
    updateOf({ kind: 'sata', model: 'ACME Disk 4' }),
    updateOf({ kind: 'sas', model: 'SAS 9' }),
    updateOf({ kind: 'sas', model: 'ACME Disk 4' }),
  ];
  const updated = await it.all(updates);
  t.deepEqual(
    updated.map(({ device, serial, before, after, restart }) => [device, serial, before, after, restart]),
    [
      ['nvme0n1', 'S-nvme0', 'F1', 'F2', false],
      ['sda', 'S-SDA', 'F1', 'F2', false],
      ['sdb', 'S-SDB', 'F1', 'F2', false],
    ],
  );
  t.deepEqual(it.bay.lines(), [
    'nvme fw-download /dev/nvme0 --fw=f2.bin',
    'nvme fw-commit /dev/nvme0 --slot=2 --action=1',
    'nvme reset /dev/nvme0',
    'hdparm --yes-i-know-what-i-am-doing --please-destroy-my-drive --fwdownload f2.bin /dev/sda',
    'sg_write_buffer --mode=dmc_offs_save --bpw=4k --in=f2.bin /dev/sdb',
  ]);
  t.true(it.fetched.every((url) => url === '/drives/f2.bin'));
  t.deepEqual(
    readdirSync(it.bay.home).filter((name) => name.startsWith('firmware.')),
    [],
    'the files are removed',
  );
  const { devices, unmatched } = await it.verify(updates, updated);
  t.deepEqual(
    devices.map(({ device, before, after, updated: was }) => [device, before, after, was]),
    [
      ['nvme0n1', 'F1', 'F2', true],
      ['nvme1n1', 'F2', 'F2', false],
      ['sda', 'F1', 'F2', true],
      ['sdb', 'F1', 'F2', true],
    ],
  );
  t.deepEqual(unmatched, ['ACME Disk 4'], 'a drive of SATA is none of SAS');
  t.is(await it.next(updates), null, 'a new launch has nothing to do');
});

withCurl.serial('a drive that waits for a restart is updated once, and the version after it decides', async (t) => {
  const it = await scene(t);
  it.bay.mark('late');
  const updates = [updateOf({})];
  const updated = await it.all(updates);
  t.deepEqual(
    updated.map(({ device, restart }) => [device, restart]),
    [
      ['nvme0n1', true],
      ['nvme1n1', true],
    ],
  );
  t.is(it.bay.lines().filter((line) => line.includes('fw-download')).length, 2);
  await t.throwsAsync(it.verify(updates, updated), {
    code: 'FIRMWARE_UNCHANGED',
    message: /^nvme0n1 \(ACME Flash 3200, S-nvme0\) has the version F1; expected F2; nvme1n1 /,
  });
  for (const name of ['nvme0', 'nvme1']) writeFileSync(join(it.bay.home, `${name}.version`), 'F2\n');
  t.is((await it.verify(updates, updated)).devices.length, 2);
});

withCurl.serial('a tool that fails, and a file with another checksum, end with the name of the device', async (t) => {
  const it = await scene(t);
  it.bay.mark('busy');
  const job = await it.next([updateOf({})]);
  const failed = {
    code: 'FIRMWARE_UNCHANGED',
    message: /^nvme0n1 .* after F1: its tool ended with 1: NVMe status: Invalid/,
  };
  await t.throwsAsync(it.run(job), failed);
  await t.throwsAsync(it.run(job), failed);
  t.is(it.bay.lines().filter((line) => line.includes('fw-download')).length, 1, 'it is not begun again');
  const other = await scene(t, 'another file', CONTENT);
  await t.throwsAsync(other.run(await other.next([updateOf({})])), {
    code: 'FIRMWARE_REJECTED',
    message: /^nothing was written to nvme0n1 .*drives\/f2\.bin" has the SHA-256 [0-9a-f]{64} on the node; expected/,
  });
  t.deepEqual(other.bay.lines(), []);
});

withCurl.serial(
  'an update is begun once by any number of agents, not after a restart, not on another drive',
  async (t) => {
    const it = await scene(t);
    const job = (await it.next([updateOf({ kind: 'sata', model: 'ACME Disk 4' })])) as PlannedUpdate;
    const { command } = updateCommand(job);
    await Promise.all([1, 2, 3].map(() => it.sh(command)));
    t.is(it.bay.lines().length, 1);
    it.bay.program('hdparm', `printf 'Serial Number: S-OTHER\\nFirmware Revision: F1\\n'\n`);
    await t.throwsAsync(it.run({ ...job, run: 'other' }), {
      code: 'FIRMWARE_REJECTED',
      message: /another device than before/,
    });
    it.bay.power();
    await t.throwsAsync(it.run({ ...job, run: 'later' }), {
      code: 'FIRMWARE_UNCHANGED',
      message: /the machine restarted before/,
    });
    t.is(it.bay.lines().length, 1);
  },
);

withCurl.serial('a cancel waits for a tool that writes; a job that was killed is not begun again', async (t) => {
  const it = await scene(t);
  it.bay.hold();
  const job = (await it.next([updateOf({})])) as PlannedUpdate;
  const { command } = updateCommand(job);
  const place = join(it.bay.home, 'jobs', job.run);
  const waitFor = async (file: string) => {
    while (!existsSync(file)) await setTimeout(20);
  };
  const agent = it.sh(command, { NODEWRIGHT_CANCELLED: join(it.bay.home, 'cancel') });
  await waitFor(join(place, 'critical'));
  it.bay.mark('cancel');
  await waitFor(join(place, 'cancelled'));
  it.bay.go();
  t.regex((await agent).stdout, /brought to its end; the device has the version F2\.\n$/);
  const early = { ...job, run: 'early' };
  const { stdout } = await it.sh(updateCommand(early).command, { NODEWRIGHT_CANCELLED: join(it.bay.home, 'cancel') });
  t.regex(stdout, /No firmware was written/);
  it.bay.hold();
  const dying = { ...job, run: 'dying' };
  const watch = it.sh(updateCommand(dying).command);
  await waitFor(join(it.bay.home, 'jobs/dying/critical'));
  process.kill(-Number(readFileSync(join(it.bay.home, 'jobs/dying/pid'), 'utf8')), 'SIGKILL');
  await t.throwsAsync(it.conclude(dying, await watch), {
    code: 'FIRMWARE_UNCHANGED',
    message: /its job was broken off; a new launch looks at the version first/,
  });
  await t.throwsAsync(it.run(dying), { code: 'FIRMWARE_UNCHANGED' });
});

const script = `#!/bin/sh
echo "$@" >>"$LEDGER"
echo "$NEW" >"$STATE"
echo "its words"
exit "$CODE"
`;
const scriptSum = createHash('sha256').update(script).digest('hex');

withCurl.serial('a package of a vendor is run with its arguments, and its exit codes decide', async (t) => {
  const it = await scene(t, script);
  const dmi = join(it.bay.home, 'sys/class/dmi/id');
  await it.sh(`mkdir -p '${dmi}' && echo 'Server R1' >'${dmi}/product_name' && echo 1.0 >'${it.bay.home}/state'`);
  const wanted = (more: object = {}): DeviceUpdate =>
    updateOf({
      kind: 'package',
      model: 'Server R1',
      version: '2.0',
      file: "bios 'a'.bin",
      sha256: scriptSum,
      package: {
        args: ['-q', "it's {file}"],
        versionCommand: `cat '${it.bay.home}/state'`,
        restartCodes: [2],
        nothingCodes: [3],
        ...more,
      },
    });
  const outcome = async (code: number, version: string, run: string) => {
    const job = (await it.next([wanted()], [], run)) as PlannedUpdate;
    const env = {
      CODE: `${code}`,
      NEW: version,
      STATE: join(it.bay.home, 'state'),
      LEDGER: join(it.bay.home, 'ledger'),
    };
    return it.conclude(job, await it.sh(updateCommand(job).command, env));
  };
  t.like(await outcome(2, '1.0', 'a'), { restart: true, after: '1.0', device: "bios 'a'.bin" });
  t.regex(it.bay.lines()[0] ?? '', /^-q it's \/.*\/bios 'a'\.bin$/);
  const unchanged = (message: RegExp) => ({ code: 'FIRMWARE_UNCHANGED', message });
  await t.throwsAsync(outcome(3, '1.0', 'b'), unchanged(/ended with 3, and the version is 1\.0: its words/));
  await t.throwsAsync(outcome(9, '1.0', 'c'), unchanged(/its tool ended with 9: its words/));
  t.like(await outcome(0, '2.0', 'd'), { restart: false, after: '2.0' });
  t.is(it.bay.lines().length, 4);
  const [package_, other] = [wanted(), { ...wanted(), model: 'Server R2' }];
  t.like(await it.verify([package_], []), { devices: { length: 1 }, unmatched: [] });
  const entry = { product: 'Server R1', versionCommand: package_.package?.versionCommand, version: '2.0' };
  t.deepEqual(it.catalogs, [['n', 'firmware-packages', [entry]]]);
  t.deepEqual(await it.verify([other], [], true), { devices: [], unmatched: ['Server R2'] });
  await t.throwsAsync(it.next([other]), {
    code: 'FIRMWARE_REJECTED',
    message: /no device is of a model of the updates; the node has the product Server R1/,
  });
});

withCurl.serial('what is not possible is rejected before anything is written', async (t) => {
  const it = await scene(t);
  const rejected = async (updates: DeviceUpdate[], message: RegExp) =>
    t.throwsAsync(it.next(updates), { code: 'FIRMWARE_REJECTED', message });
  await rejected([updateOf({ model: 'ACME Flash 9' })], /the node has .*, nvme ACME Flash 3200$/);
  await rejected(
    [updateOf({}), updateOf({ model: 'ACME Flash 3200' })],
    /updates\.1\.model: has devices of updates\.0 too; found ACME Flash 3200/,
  );
  await rejected([updateOf({ file: 'missing' })], /"missing" is not stored; put it to \/files/);
  await rejected([updateOf({ sha256: 'a'.repeat(64) })], /has the SHA-256 \w+; expected a+/);
  const package_ = { program: 'mstflint-absent', versionCommand: 'true' };
  await rejected([updateOf({ kind: 'package', package: package_ })], /the booted system lacks mstflint-absent; add it/);
  writeFileSync(join(it.bay.home, 'facts/nvme0n2.MOUNTPOINT'), '/srv\n');
  await rejected([updateOf({})], /^nothing was changed: nvme0n1 \(.*\) is in use at \/srv$/);
  t.deepEqual(it.bay.lines(), []);
});

test('options that contradict each other, and models that are too wide, are violations', (t) => {
  const paths = (more: Partial<DeviceUpdate>) => updateViolations([updateOf(more)]).map(({ path }) => path);
  t.deepEqual(paths({}), []);
  t.deepEqual(paths({ model: 'SAMSUNG*' }), ['updates.0.model']);
  t.deepEqual(paths({ kind: 'sas', slot: 1, action: 3 }), ['updates.0.slot', 'updates.0.action']);
  t.deepEqual(paths({ kind: 'package' }), ['updates.0.package']);
  t.deepEqual(paths({ package: { versionCommand: 'true' } }), ['updates.0.package']);
  const several = (...more: Partial<DeviceUpdate>[]) => updateViolations(more.map(updateOf), 'inBand');
  const bios = { kind: 'package', model: 'R1', package: { versionCommand: 'true' } } as const;
  t.deepEqual(several({ model: 'A1' }, { model: 'A1', kind: 'sas' }, { model: 'B1*' }), []);
  t.deepEqual(several(bios, { ...bios, package: { versionCommand: 'mlxfwmanager' } }), []);
  for (const [one = '', other = ''] of [
    ['A1*', 'A12'],
    ['A12', 'A1*'],
    ['A1*', 'A12*'],
    ['A1', 'A1'],
  ])
    t.like(several({ model: one }, { model: other }), { length: 1, 0: { path: 'inBand.1.model' } });
  t.like(several(bios, { ...bios, model: 'R1*' }), { length: 1, 0: { path: 'inBand.1.model' } });
});
