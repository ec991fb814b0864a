/** The area of an image for the settings of a node: what the microkernel's kernel unpacks, and what a twin reads. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { AREA_LINE, filledArea, nodeAreaIn, textInArea } from '../../../../engine/platform/lib/node-area.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { onPath } from '../../../support/ava/on-path.ts';

const unpacking = needing(onPath('cpio') === undefined ? 'cpio is not installed' : undefined);
const area = { start: 65_536, end: 131_072 };
const TEXT = 'api=http://10.1.1.1:9080/api/current\nnode=n\n';

test('the line of an image says where its area is; other bytes say nothing', (t) => {
  t.deepEqual(nodeAreaIn('nodewright-area 65536 65536\n\0\0'), area);
  for (const line of [
    '',
    '\0'.repeat(64),
    'nodewright-area 65536 65536',
    'nodewright-area 65537 65536\n',
    'nodewright-area 2048 65536\n',
    'nodewright-area 65536 1024\n',
    'nodewright-area 65536 9999999\n',
    ' nodewright-area 65536 65536\n',
  ])
    t.is(nodeAreaIn(line), undefined, line);
  t.is(AREA_LINE.end - AREA_LINE.start, 63);
});

test('an area has the text of its node, and is filled to its end; a text that is too long is rejected', (t) => {
  const filled = filledArea(TEXT, area);
  t.is(filled.length, 65_536);
  t.is(textInArea(filled.toString('utf8')), TEXT);
  t.is(textInArea(filled.subarray(0, 4_096).toString('utf8')), TEXT);
  t.is(textInArea('\0'.repeat(4_096)), undefined);
  t.throws(() => filledArea('x'.repeat(70_000), area), { instanceOf: RangeError });
});

unpacking.serial('cpio unpacks the file of an area, which only root reads', (t) => {
  const place = folder(t);
  execFileSync('cpio', ['--quiet', '-idm'], { cwd: place, input: filledArea(TEXT, area) });
  t.is(readFileSync(join(place, 'etc/nodewright'), 'utf8'), TEXT);
  t.is(statSync(join(place, 'etc/nodewright')).mode & 0o777, 0o600);
});
