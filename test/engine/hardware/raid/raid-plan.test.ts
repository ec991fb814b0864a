/** Plans of RAID volumes, on controllers and layouts of any kind. */
import test from 'ava';
import fc from 'fast-check';
import { layoutViolations, namedSerials, type WantedVolume } from '../../../../engine/hardware/raid/raid-layout.ts';
import { planVolumes, type RaidChange } from '../../../../engine/hardware/raid/raid-plan.ts';
import type { RaidController, RaidDrive } from '../../../../engine/hardware/raid/raid-state.ts';
import { raidLevels } from '../../../../engine/vocabulary/raid-levels.ts';

const TB = 1_000_000_000_000;

const driveOf = (at: number, more: Partial<RaidDrive> = {}): RaidDrive => ({
  path: `/d/${at}`,
  serial: `S${at}`,
  bytes: TB,
  media: 'SSD',
  protocol: 'SAS',
  ...more,
});

const controllerOf = (drives: RaidDrive[], more: Partial<RaidController> = {}): RaidController => ({
  id: 'RAID.1',
  collection: '/v',
  levels: raidLevels,
  isStaged: false,
  drives,
  volumes: [],
  ...more,
});

const eight = Array.from({ length: 8 }, (_, at) => driveOf(at));
const system: WantedVolume = { name: 'system', raid: 'RAID1', serials: ['S0', 'S1'] };
const there = { path: '/v/1', name: 'system', raid: 'RAID1', bytes: TB, drives: ['/d/0', '/d/1'] };

/** The controllers after the changes of a plan. */
function changed(controllers: readonly RaidController[], changes: readonly RaidChange[]): RaidController[] {
  return controllers.map((controller) => {
    let { volumes } = controller;
    for (const change of changes) {
      if (change.kind === 'delete') volumes = volumes.filter(({ path }) => path !== change.path);
      else if (change.collection === controller.collection) {
        const { name, raid, bytes = TB } = change.wanted;
        volumes = [...volumes, { path: `${controller.collection}/${name}`, name, raid, bytes, drives: change.drives }];
      }
    }
    return { ...controller, volumes };
  });
}

const drives = fc.array(
  fc.record(
    { bytes: fc.constantFrom(TB, 2 * TB), media: fc.constantFrom('SSD', 'HDD'), unfit: fc.constant('is failing') },
    { requiredKeys: ['bytes', 'media'] },
  ),
  { maxLength: 12 },
);

const controllers = fc.tuple(drives, drives, fc.nat(6), fc.boolean()).map(([one, two, inVolume, isStaged]) => {
  const all = (prefix: string, facts: typeof one) =>
    facts.map((fact, at) => driveOf(at, { ...fact, path: `/${prefix}/${at}`, serial: `${prefix}${at}` }));
  const first = all('A', one);
  const volume = {
    path: '/va/old',
    name: 'old',
    raid: 'RAID0',
    bytes: TB,
    drives: first.slice(0, inVolume).map(({ path }) => path),
  };
  return [
    controllerOf(first, { id: 'A', collection: '/va', isStaged, volumes: volume.drives.length > 0 ? [volume] : [] }),
    controllerOf(all('B', two), { id: 'B', collection: '/vb', levels: ['RAID0', 'RAID1'] }),
  ];
});

const wanted = fc.record(
  {
    name: fc.constantFrom('old', 'system', 'data', 'scratch'),
    raid: fc.constantFrom('RAID0', 'RAID0', 'RAID1', ...raidLevels),
    serials: fc.uniqueArray(
      fc.tuple(fc.constantFrom('A', 'B'), fc.nat(11)).map(([side, at]) => `${side}${at}`),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    drives: fc.record(
      {
        count: fc.integer({ min: 1, max: 8 }),
        media: fc.constantFrom('SSD' as const, 'HDD' as const),
        bytes: fc.constant(2 * TB),
      },
      { requiredKeys: ['count'] },
    ),
  },
  { requiredKeys: ['name', 'raid'] },
) as fc.Arbitrary<WantedVolume>;

test('after the changes of any plan nothing is left to do, and what was not named is untouched', (t) => {
  const seen = { changes: 0, deletions: 0, violations: 0 };
  fc.assert(
    fc.property(controllers, fc.array(wanted, { maxLength: 4 }), fc.boolean(), (before, volumes, deleteOthers) => {
      if (layoutViolations(volumes).length > 0) return;
      const { changes, violations, kept } = planVolumes(before, { volumes, deleteOthers });
      seen.violations += violations.length;
      if (violations.length > 0) return t.deepEqual(changes, []);
      seen.changes += changes.length;
      seen.deletions += changes.filter(({ kind }) => kind === 'delete').length;
      if (!deleteOthers) t.false(changes.some(({ kind }) => kind === 'delete'));
      const after = changed(before, changes);
      t.deepEqual(planVolumes(after, { volumes, deleteOthers }), {
        changes: [],
        kept: volumes.map(({ name }) => name),
        violations: [],
      });
      const used = after.flatMap((one) => one.volumes.flatMap((volume) => volume.drives));
      t.is(new Set(used).size, used.length, 'a drive is in one volume');
      for (const name of kept) {
        const serials = changes.filter((change) => change.name === name);
        t.deepEqual(serials, [], 'what is there as wanted stays');
      }
      // The same after a crash between any two changes.
      for (let n = 0; n < changes.length; n += 1) {
        const between = planVolumes(changed(before, changes.slice(0, n)), { volumes, deleteOthers });
        t.deepEqual(between.violations, []);
        t.deepEqual(
          between.changes.map(({ kind, name, serials }) => ({ kind, name, serials })),
          changes.slice(n).map(({ kind, name, serials }) => ({ kind, name, serials })),
        );
      }
    }),
    { numRuns: 2_000 },
  );
  t.log(seen);
  t.true(seen.changes > 0 && seen.deletions > 0 && seen.violations > 0);
});

test('a volume of other drives is deleted only if that is wanted', (t) => {
  const before = [controllerOf(eight, { volumes: [{ ...there, drives: ['/d/2', '/d/3'] }] })];
  t.regex(
    planVolumes(before, { volumes: [system], deleteOthers: false }).violations[0] ?? '',
    /is there, but as RAID1 of other/,
  );
  const { changes } = planVolumes(before, { volumes: [system], deleteOthers: true });
  t.deepEqual(
    changes.map(({ kind, serials }) => [kind, ...serials]),
    [
      ['delete', 'S2', 'S3'],
      ['create', 'S0', 'S1'],
    ],
  );
});

test('a drive that is in another volume, unknown or failing is named', (t) => {
  const other = { ...there, name: 'data' };
  const violation = (drivesThere: RaidDrive[], volumes = [other]) =>
    planVolumes([controllerOf(drivesThere, { volumes })], { volumes: [system], deleteOthers: false }).violations.join();
  t.regex(violation(eight), /the drive S0 is in the volume data/);
  t.regex(violation(eight.slice(0, 1), []), /has no drive S1/);
  t.regex(violation([driveOf(0), driveOf(1, { unfit: 'is failing' })], []), /the drive S1 is failing/);
});

test('of drives that fit, those of the smallest size are chosen', (t) => {
  const mixed = [driveOf(0, { bytes: 4 * TB }), driveOf(1, { bytes: 4 * TB }), driveOf(2), driveOf(3), driveOf(4)];
  const choose = (choice: object) => {
    const volumes: WantedVolume[] = [{ name: 'data', raid: 'RAID1', drives: { count: 2, ...choice } }];
    const { changes, violations } = planVolumes([controllerOf(mixed)], { volumes, deleteOthers: false });
    return changes[0]?.serials ?? violations[0];
  };
  t.deepEqual(choose({}), ['S2', 'S3']);
  t.deepEqual(choose({ bytes: 2 * TB }), ['S0', 'S1']);
  t.regex(String(choose({ media: 'HDD' })), /found 0 free drives that fit, expected 2/);
});

test('a layout that no machine could have is rejected, and one that names its drives is known before its run', (t) => {
  const message = (...volumes: WantedVolume[]) => layoutViolations(volumes)[0]?.message;
  t.is(message(system), undefined);
  t.is(message({ ...system, raid: 'RAID5' }), 'RAID5 needs 3 drives at least; found 2');
  t.is(message({ name: 'a', raid: 'RAID10', drives: { count: 5 } }), 'RAID10 needs an even number of drives; found 5');
  t.is(message({ name: 'a', raid: 'RAID0' }), 'expected either serials or drives');
  t.is(message(system, system), 'repeats the name system');
  t.is(message(system, { ...system, name: 'b' }), 'names the drive S0, which another volume has');
  t.deepEqual(
    namedSerials({ volumes: [system] })?.map(({ serial }) => serial),
    ['S0', 'S1'],
  );
  t.is(namedSerials({ volumes: [system], deleteOthers: true }), undefined);
});
