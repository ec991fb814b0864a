/** Graph.Drive.SecureErase with the real agent and the real scrub, on files that stand for drives. */
import test from 'ava';
import type { SanitizationRecord } from '../../tasks/erase/_record.ts';
import type { BayDrive } from '../support/bay.ts';
import { openErasing } from '../support/erasing.ts';
import { needing } from '../support/needing.ts';
import { onPath } from '../support/on-path.ts';

const missing = ['scrub', 'setsid', 'curl'].filter((name) => onPath(name) === undefined);
const real = needing(missing.length === 0 ? undefined : `${missing.join(', ')} not installed`);

const two: BayDrive[] = [
  { name: 'sda', wwn: '5000c500000000aa' },
  { name: 'sdb', wwn: '5000c500000000bb', facts: { ROTA: '0' } },
];

const drivesIn = (certificate: Record<string, unknown> | undefined) =>
  (certificate?.drives ?? []) as unknown as SanitizationRecord[];

real.serial('the bytes of both drives are gone, each is certified, and scrub ran once on each', async (t) => {
  t.timeout(120_000);
  const { it, bay, erase, agent } = await openErasing(t, two);
  bay.counted('scrub');
  const before = ['sda', 'sdb'].map((name) => bay.read(name));
  const id = await erase([{ disks: ['sda'] }, { disks: [1], tool: 'scrub', arg: 'custom=0x5a' }]);
  const { said } = agent();
  const row = await it.finished(id);
  t.is(row.status, 'succeeded', JSON.stringify(row.error));
  t.true(bay.read('sda').every((byte) => byte === 0));
  t.true(bay.read('sdb').every((byte) => byte === 0x5a));
  t.deepEqual(
    before.map(({ length }) => length),
    ['sda', 'sdb'].map((name) => bay.read(name).length),
  );
  t.deepEqual(
    bay
      .lines()
      .filter((line) => !line.endsWith('-v'))
      .sort(),
    [`scrub -f -S -p custom=\\x5a ${bay.drive('sdb')}`, `scrub -f -S -p nnsa ${bay.drive('sda')}`],
  );
  const found = await it.engine.certificates.of(id);
  t.like(found?.certificate, { operator: 'erika', standard: 'NIST SP 800-88 Rev. 1', sanitized: true });
  const [first, second] = drivesIn(found?.certificate);
  t.like(first, {
    ...{ devName: 'sda', identifier: 0, wwid: 'naa.5000c500000000aa', make: 'ATA', model: 'Example Disk 1' },
    ...{ serial: 'S-5000c500000000aa', mediaType: 'SATA magnetic disk', sizeBytes: 1024 * 1024, level: 'Clear' },
    ...{ tool: 'scrub', result: 'sanitized', errors: [] },
  });
  t.regex(first?.toolVersion ?? '', /^scrub version/);
  t.like(first?.verification, { result: 'passed', samples: 64, read: 64, matching: 64, unchanged: 0 });
  t.like(second, { devName: 'sdb', mediaType: 'SATA SSD', result: 'sanitized' });
  t.deepEqual(said, []);
});
