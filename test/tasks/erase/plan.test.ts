/** The drives that a request names, and rejected requests; on a catalog of a real machine. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { type EraseSetting, planOf, planOfFound } from '../../../engine/hardware/erase/plan.ts';
import { argumentOf, methodOf, type ToolName, toolNames, tools } from '../../../engine/hardware/erase/tools.ts';

const catalog = JSON.parse(readFileSync(new URL('../../../fixtures/drive-id.json', import.meta.url), 'utf8')) as Record<
  string,
  unknown
>[];

const violationsOf = (settings: EraseSetting[], of: unknown = catalog) =>
  planOf(settings, of).violations.map(({ path, message }) => `${path} ${message}`);

test('a drive is named by its device name, its identifier as a number or a text, or its wwid', (t) => {
  const wwid = '/dev/disk/by-id/scsi-35000c5008f0641fb';
  for (const name of ['sdb', '/dev/sdb', 5, '5', wwid, 'naa.5000c5008f0641fb']) {
    t.deepEqual(planOf([{ disks: [name] }], catalog), {
      drives: [{ devName: 'sdb', identifier: 5, wwid, tool: 'scrub', arg: 'nnsa' }],
      violations: [],
    });
  }
});

test('a node without a catalog, or with an empty one, is rejected', (t) => {
  for (const none of [null, [], {}, 'x'])
    t.regex(violationsOf([{ disks: ['sda'] }], none)[0] ?? '', /discover the node/);
});

test('a drive that is missing, or twice in the catalog, is rejected', (t) => {
  t.deepEqual(violationsOf([{ disks: ['sda', 'sdz', 99] }]), [
    "eraseSettings.0.disks.1 sdz names 0 drives of the node's latest driveId catalog; expected one",
    "eraseSettings.0.disks.2 99 names 0 drives of the node's latest driveId catalog; expected one",
  ]);
  const paths = [...catalog, { ...catalog[2], devName: 'sdx', identifier: 50 }];
  t.regex(violationsOf([{ disks: ['sdb'] }], paths)[0] ?? '', /has the same wwid as sdx/);
  const nameless = [{ devName: 'vda', identifier: 0, linuxWwid: '', esxiWwid: '' }];
  t.regex(violationsOf([{ disks: ['vda'] }], nameless)[0] ?? '', /has no wwid/);
});

test('a drive that is named twice is rejected, under any of its names', (t) => {
  for (const other of ['sdb', 5, '5', 'naa.5000c5008f0641fb']) {
    t.deepEqual(violationsOf([{ disks: ['sdb'] }, { disks: [other], tool: 'sg_format' }]), [
      `eraseSettings.1.disks.0 ${other} is named twice`,
    ]);
  }
});

test('a tool that does not support the protocol of the drive is rejected', (t) => {
  const rejected: [ToolName, string, RegExp][] = [
    ['hdparm', 'sdb', /has the protocol scsi, but hdparm requires ata/],
    ['sg_sanitize', 'sdg', /has the protocol ata, but sg_sanitize requires scsi/],
    ['sg_format', 'sdg', /protocol ata/],
    ['nvme_format', 'sdb', /has the protocol scsi, but nvme_format requires nvme/],
    ['sg_format', 'sda', /is a volume of a RAID controller/],
  ];
  for (const [tool, disk, reason] of rejected) t.regex(violationsOf([{ disks: [disk], tool }])[0] ?? '', reason);
  for (const disk of ['sda', 'sdb', 'sdd', 'sdg']) t.deepEqual(violationsOf([{ disks: [disk] }]), []);
  t.deepEqual(
    violationsOf([
      { disks: ['sdg'], tool: 'hdparm' },
      { disks: ['sdb'], tool: 'sg_format' },
    ]),
    [],
  );
});

test('nvme_sanitize is rejected on a controller that has another drive', (t) => {
  const drive = (devName: string) => ({ devName, linuxWwid: `/dev/disk/by-id/nvme-eui.${devName}`, esxiWwid: '' });
  const shared = [drive('nvme0n1'), drive('nvme0n2'), drive('nvme1n1')];
  const settings = (disk: string): EraseSetting[] => [{ disks: [disk], tool: 'nvme_sanitize' }];
  t.regex(violationsOf(settings('nvme0n1'), shared)[0] ?? '', /shares its controller with nvme0n2/);
  t.deepEqual(violationsOf(settings('nvme1n1'), shared), []);
});

test('every argument of the interface is accepted, has its default and its passes, and no other is accepted', (t) => {
  const usual = Object.fromEntries(toolNames.map((tool) => [tool, argumentOf(tool, undefined)]));
  t.like(usual, { scrub: 'nnsa', hdparm: 'security-erase', sg_sanitize: 'block', sg_format: '1' });
  const passes = {
    nnsa: 4,
    dod: 4,
    bsi: 9,
    fillzero: 1,
    fillff: 1,
    random: 1,
    random2: 2,
    gutmann: 35,
    schneier: 7,
    pfitzner7: 7,
    pfitzner33: 33,
    old: 6,
    fastold: 5,
    usarmy: 4,
  };
  for (const [arg, count] of Object.entries(passes))
    t.is(methodOf('scrub', argumentOf('scrub', arg) ?? '').passes, count);
  t.is(argumentOf('scrub', 'usarmy'), 'usarmy');
  for (const byte of ['custom=5A', 'custom=0x5a', 'custom=\\x5a']) t.is(argumentOf('scrub', byte), 'custom=\\x5a');
  t.is(argumentOf('hdparm', 'secure-erase-enhanced'), 'security-erase-enhanced');
  for (const arg of ['0', '1']) t.is(argumentOf('sg_format', arg), arg);
  for (const arg of ['block', 'fail', 'crypto']) t.is(argumentOf('sg_sanitize', arg), arg);
  for (const tool of toolNames) {
    for (const wrong of ['', 'x', 'constructor', 'custom=', 'custom=5', 'custom=5a5a', "custom=5a'", '; reboot']) {
      t.is(argumentOf(tool, wrong), undefined, `${tool} ${wrong}`);
    }
    t.regex(violationsOf([{ disks: ['sdb'], tool, arg: 'x' }])[0] ?? '', /expected one of/);
    t.true(Object.hasOwn(tools[tool].methods, tools[tool].usual));
  }
});

test('drives are found again by their wwids, and a missing one is a violation', (t) => {
  const { drives } = planOf([{ disks: ['sdb', 'sdd'] }], catalog);
  const swapped = catalog.map((drive) => ({
    ...drive,
    devName: { sdb: 'sdd', sdd: 'sdb' }[drive.devName as string] ?? drive.devName,
  }));
  t.deepEqual(
    planOfFound(drives, swapped).drives.map(({ devName, wwid }) => [devName, wwid]),
    [
      ['sdd', drives[0]?.wwid],
      ['sdb', drives[1]?.wwid],
    ],
  );
  t.is(planOfFound(drives, catalog.slice(0, 2)).violations.length, 2);
});
