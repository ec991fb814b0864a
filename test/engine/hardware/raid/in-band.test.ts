/** RAID volumes in band: the scripts as the node runs them, with tools that print what real ones do, and what becomes of their lines. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { activityFunction } from '../../../../engine/define/operation.ts';
import {
  concludeChange,
  type InBandOptions,
  type InBandPlan,
  type PlannedJob,
  planInBand,
  planJob,
} from '../../../../engine/hardware/raid/in-band-activities.ts';
import { type RaidTool, raidCommand, raidLook } from '../../../../engine/hardware/raid/raid-commands.ts';
import type { ListedChange, WantedVolume } from '../../../../engine/hardware/raid/raid-layout.ts';
import { raidLookIn } from '../../../../engine/hardware/raid/raid-look.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';
import { Bay } from '../../../support/bmcs/bay.ts';

const lacks = (name: string) => (onPath(name) === undefined ? `${name} is not installed` : undefined);
const withShellcheck = needing(lacks('shellcheck'));
const withSetsid = needing(lacks('setsid'));

const disks = [1, 2, 3].map((at) => ({ name: `sd${'xabc'[at]}`, wwn: `5000c5000000000${at}`, size: 4 * 1024 * 1024 }));

/** A machine with three drives. */
function scene(t: ExecutionContext, tool?: RaidTool) {
  const bay = new Bay(t, disks);
  const sh = (command: string) =>
    spawnSync('sh', ['-c', command], { env: bay.env, encoding: 'utf8', timeout: 100_000 });
  const look = () => sh(raidLook(tool).command).stdout;
  const inputOf = (volumes: WantedVolume[], more: Partial<InBandOptions>) => ({
    options: { volumes, ...(tool !== undefined && { tool }), ...more },
    stdout: look(),
  });
  const plan = (volumes: WantedVolume[], more: Partial<InBandOptions> = {}) =>
    activityFunction(planInBand)({ input: inputOf(volumes, more) } as never) as Promise<InBandPlan>;
  /** @param outputs the changes so far */
  const next = async (volumes: WantedVolume[], more: Partial<InBandOptions> = {}, outputs: ListedChange[] = []) => {
    const input = { ...inputOf(volumes, more), outputs };
    const planned = await activityFunction(planJob)({ input, nodeId: 'n', operationId: 'w/configure/1' } as never);
    return (planned as { job: PlannedJob }).job;
  };
  const change = async (job: PlannedJob) => {
    const { stdout, status } = sh(raidCommand(job).command);
    const result = { exitCode: status ?? 1, stdout, stderr: '' };
    return activityFunction(concludeChange)({ input: { plan: job, result } } as never);
  };
  return { bay, sh, look, plan, next, change };
}

withShellcheck.serial('shellcheck finds nothing in the scripts', (t) => {
  const folder = new URL('../../../../engine/hardware/raid/scripts/', import.meta.url);
  const files = readdirSync(folder).map((file) => new URL(file, folder).pathname);
  t.is(files.length, 2);
  t.is(spawnSync('shellcheck', files, { encoding: 'utf8' }).stdout, '');
});

const row = (place: string, state: string, group: number | string, more = {}) => ({
  'EID:Slt': place,
  DID: 4,
  State: state,
  DG: group,
  Size: '1.090 TB',
  Intf: 'SAS',
  Med: 'HDD',
  SED: 'N',
  Model: 'HUC101212, CSS600 ',
  ...more,
});

const drive = (path: string, serial: string, of: object) => ({
  [`Drive ${path}`]: [of],
  [`Drive ${path} - Detailed Information`]: {
    [`Drive ${path} State`]: { 'Media Error Count': 0, 'Drive Temperature': ' 33C (91.40 F)' },
    [`Drive ${path} Device attributes`]: { SN: `        ${serial}`, 'Raw size': '1.090 TB [0x8bba0cb0 Sectors]' },
  },
});

const answer = (data: object, indent: number) =>
  JSON.stringify({ Controllers: [{ 'Command Status': { Status: 'Success' }, 'Response Data': data }] }, null, indent);

/** A controller with five drives, of which one is in a volume. */
const drives = {
  ...drive('/c0/e252/s0', 'A0', row('252:0', 'UGood', '-', { Size: '372.093 GB', Med: 'SSD' })),
  ...drive('/c0/e252/s1', 'A1', row('252:1', 'UGood', '-')),
  ...drive('/c0/e36/s1', 'A2', row('36:1', 'UGood', '-')),
  ...drive('/c0/e36/s2', 'A3', row('36:2', 'Onln', 0)),
  ...drive('/c0/e36/s3', 'A4', row('36:3', 'JBOD', '-')),
  ...drive('/c0/e36/s4', 'A5', row('36:4', 'UGood', 'F')),
};
const volumes = {
  '/c0/v0': [{ 'DG/VD': '0/0', TYPE: 'RAID0', State: 'Optl', Size: '1.090 TB', Name: 'old' }],
  'PDs for VD 0': [row('36:2', 'Onln', 0)],
  'VD0 Properties': { 'Strip Size': '256 KB', 'Number of Blocks': 2341795840 },
};

/** @param indent of its JSON */
function install(
  { bay }: ReturnType<typeof scene>,
  indent = 0,
  after = 'echo "Description = Add VD Succeeded."',
): void {
  const print = (text: string) => `cat <<'END'\n${text}\nEND`;
  bay.program(
    'storcli64',
    `case "$*" in
      'show ctrlcount J') ${print(answer({ 'Controller Count': 1 }, indent))}
      ;;
      '/c0/eall/sall show all J') ${print(answer(drives, indent))}
      ;;
      '/c0/vall show all J') ${print(answer(volumes, indent))}
      ;;
      *'show all J') exit 1 ;;
      *) echo "$*" >>"$bay/ledger"; ${after} ;;
    esac\n`,
  );
}

for (const indent of [0, 8]) {
  test(`drives and volumes of a controller are read from storcli's JSON with an indentation of ${indent}`, (t) => {
    const it = scene(t);
    install(it, indent);
    const { controllers, program } = raidLookIn(it.look());
    t.regex(program ?? '', /storcli64$/);
    const [{ id, drives: all, volumes: made } = { id: '', drives: [], volumes: [] }] = controllers;
    t.is(id, 'c0');
    t.deepEqual(
      all.map(({ path, serial }) => [path, serial]),
      [
        ['/c0/e252/s0', 'A0'],
        ['/c0/e252/s1', 'A1'],
        ['/c0/e36/s1', 'A2'],
        ['/c0/e36/s2', 'A3'],
        ['/c0/e36/s3', 'A4'],
        ['/c0/e36/s4', 'A5'],
      ],
    );
    t.like(all[0], { bytes: Math.round(372.093 * 2 ** 30), media: 'SSD', protocol: 'SAS' });
    t.deepEqual(
      all.map(({ unfit = '' }) => unfit.split(' ').slice(0, 3).join(' ')),
      ['', '', '', '', 'is passed through', 'has the configuration'],
    );
    t.like(made, [{ path: '/c0/v0', name: 'old', raid: 'RAID0', drives: ['/c0/e36/s2'] }]);
  });
}

withSetsid.serial('a volume is made by one call of the tool, on the chosen drives', async (t) => {
  const it = scene(t);
  install(it);
  const wanted: WantedVolume = { name: 'system', raid: 'RAID1', drives: { count: 2, media: 'HDD' } };
  const { changes, kept } = await it.plan([wanted]);
  t.deepEqual(changes, [{ change: 'create', name: 'system', serials: ['A1', 'A2'] }]);
  t.deepEqual(kept, []);
  t.deepEqual(await it.change(await it.next([wanted])), changes[0]);
  t.deepEqual(it.bay.lines(), ['/c0 add vd type=raid1 name=system drives=252:1,36:1']);
  const error = await t.throwsAsync(it.next([wanted], {}, changes), { code: 'RAID_UNCHANGED' });
  t.regex(error?.message ?? '', /the volumes are as before/);
});

withSetsid.serial('volumes that are not named are deleted before others are made, if the layout says so', async (t) => {
  const it = scene(t);
  install(it);
  const wanted: WantedVolume = {
    name: 'data',
    raid: 'RAID10',
    serials: ['A0', 'A1', 'A2', 'A3'],
    bytes: 100 * 2 ** 30,
  };
  await t.throwsAsync(it.plan([wanted]), { code: 'RAID_REJECTED', message: /A3 is in the volume old/ });
  const { changes } = await it.plan([wanted], { deleteOthers: true });
  t.deepEqual(
    changes.map(({ change, name }) => [change, name]),
    [
      ['delete', 'old'],
      ['create', 'data'],
    ],
  );
  await it.change(await it.next([wanted], { deleteOthers: true }));
  t.deepEqual(it.bay.lines(), ['/c0/v0 del force']);
});

withSetsid.serial('a change that the tool rejects fails with its words, and is not begun again', async (t) => {
  const it = scene(t);
  install(it, 0, 'echo "Description = physical disk is busy"; exit 12');
  const job = await it.next([{ name: 'a', raid: 'RAID0', serials: ['A0'] }]);
  const rejected = { code: 'RAID_UNCHANGED', message: /its tool ended with 12: physical disk is busy/ };
  await t.throwsAsync(it.change(job), rejected);
  await t.throwsAsync(it.change(job), rejected);
  t.is(it.bay.lines().length, 1);
});

withSetsid.serial(
  'a change is begun once by any number of agents, and not after a restart of the machine',
  async (t) => {
    const it = scene(t);
    install(it, 0, 'sleep 0.3; echo "Description = Add VD Succeeded."');
    const job = await it.next([{ name: 'a', raid: 'RAID0', serials: ['A0'] }]);
    const { command } = raidCommand(job);
    const agents = [1, 2, 3].map(() => spawn('sh', ['-c', command], { env: it.bay.env, stdio: 'ignore' }));
    await Promise.all(agents.map((agent) => once(agent, 'exit')));
    t.is(it.bay.lines().length, 1);
    it.bay.power();
    const later = { ...job, run: 'later' };
    await t.throwsAsync(it.change(later), { code: 'RAID_UNCHANGED', message: /the machine restarted before it/ });
    t.is(it.bay.lines().length, 1);
  },
);

test('a node without the tool, or without a controller, is rejected with what helps', async (t) => {
  const it = scene(t, 'perccli');
  const wanted: WantedVolume[] = [{ name: 'a', raid: 'RAID0', serials: ['A0'] }];
  await t.throwsAsync(it.plan(wanted), {
    code: 'RAID_REJECTED',
    message: /the booted system has no perccli64; add it/,
  });
  it.bay.program('perccli64', 'echo \'{"Controllers":[{"Response Data":{"Controller Count":0}}]}\'\n');
  await t.throwsAsync(it.plan(wanted), { code: 'RAID_REJECTED', message: /finds no controller/ });
  t.throws(() => raidLookIn('boot 1\n'), { code: 'RAID_REJECTED', message: /did not report all of its drives/ });
});

const SUPERBLOCK = `          Magic : a92b4efc
        Version : 1.2
     Array UUID : 8e5c6f0e:11111111:22222222:33333333
           Name : rescue:old  (local to host rescue)
     Raid Level : raid1
   Raid Devices : 2
     Array Size : 20953088 KiB (19.98 GiB 21.46 GB)`;

/** `mdadm` that knows an array on two of the drives. */
function installMdadm({ bay }: ReturnType<typeof scene>): void {
  bay.program(
    'mdadm',
    `case $1 in
      --examine) case $2 in */sda | */sdb) cat <<'END'
${SUPERBLOCK}
END
      ;; *) exit 1 ;; esac ;;
      *) echo "$*" | sed "s|$bay||g" >>"$bay/ledger" ;;
    esac\n`,
  );
}

withSetsid.serial('arrays of mdadm are read from their drives, deleted and made', async (t) => {
  const it = scene(t, 'mdadm');
  installMdadm(it);
  const [controller] = raidLookIn(it.look()).controllers;
  t.like(controller?.volumes, [{ name: 'old', raid: 'RAID1', bytes: 20953088 * 1024, drives: ['sda', 'sdb'] }]);
  t.like(controller?.drives[2], { path: 'sdc', serial: 'S-5000c50000000003', protocol: 'SATA', media: 'HDD' });
  const whole: WantedVolume = { name: 'data', raid: 'RAID5', drives: { count: 3 }, bytes: 4 * 1024 * 1024 };
  await it.change(await it.next([whole], { deleteOthers: true }));
  t.deepEqual(it.bay.lines(), ['--zero-superblock /dev/sda', '--zero-superblock /dev/sdb']);
  await it.change(await it.next([{ name: 'one', raid: 'RAID0', drives: { count: 1 } }]));
  t.deepEqual(it.bay.lines().slice(2), [
    '--create /dev/md/one --run --metadata=1.2 --homehost=any --name=one --level=0 --raid-devices=1 --force /dev/sdc',
    '--stop /dev/md/one',
  ]);
  const content = it.bay.read('sdc');
  t.true(
    [content.subarray(0, 2 ** 20), content.subarray(3 * 2 ** 20)].every((part) => part.every((byte) => byte === 0)),
  );
  t.false(
    content.subarray(2 ** 20, 3 * 2 ** 20).every((byte) => byte === 0),
    'only both ends are overwritten',
  );
});

withSetsid.serial('an array is not made on a drive that another one has replaced', async (t) => {
  const it = scene(t, 'mdadm');
  installMdadm(it);
  const job = await it.next([{ name: 'one', raid: 'RAID0', serials: ['S-5000c50000000003'] }]);
  it.bay.swap('sdb', 'sdc');
  await t.throwsAsync(it.change(job), { code: 'RAID_UNCHANGED', message: /a drive is another one than before/ });
  t.deepEqual(it.bay.lines(), []);
});

test('mdadm stripes whole drives only, and has no RAID50', async (t) => {
  const it = scene(t, 'mdadm');
  installMdadm(it);
  const part: WantedVolume = { name: 'a', raid: 'RAID0', drives: { count: 1 }, bytes: 1_000_000 };
  await t.throwsAsync(it.plan([part]), { code: 'RAID_REJECTED', message: /leave out its bytes/ });
  const other: WantedVolume = { name: 'a', raid: 'RAID50', drives: { count: 6 } };
  await t.throwsAsync(it.plan([other]), { code: 'RAID_REJECTED', message: /no controller makes RAID50/ });
});
