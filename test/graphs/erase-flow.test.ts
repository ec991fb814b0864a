/** The flow of Graph.Drive.SecureErase by pure steps, without a node. */
import test from 'ava';
import type { Operation } from '../../engine/durable/step/row.ts';
import { Run } from '../../engine/kit/run.ts';
import type { Graph } from '../../engine/library/types.ts';
import { everyGraph } from '../support/data/catalogue.ts';

const graph = everyGraph.find(({ name }) => name === 'Graph.Drive.SecureErase') as Graph;
const settings = { 'drive-secure-erase': { eraseSettings: [{ disks: ['sda'] }] } };

const labelOf = (drive: Run, { taskRun: call }: Operation) => drive.row.actors[`taskRun:${call}`]?.label ?? '';
const working = (drive: Run) => drive.operations.filter((operation) => labelOf(drive, operation) !== 'bootstrap');

/** All goes well until this label has an operation. @returns the labels that ran before it */
function until(drive: Run, label: string): string[] {
  const ran: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const [operation] = working(drive);
    if (operation === undefined) {
      if (drive.states()[label] === 'waiting') return ran;
      ran.push(Object.entries(drive.states()).find(([, state]) => state === 'waiting')?.[0] ?? '');
      drive.fireTimer();
      continue;
    }
    if (labelOf(drive, operation) === label) return ran;
    ran.push(labelOf(drive, operation));
    drive.done(operation, {});
  }
  throw new Error(`it never came to ${label}`);
}

test('no power switch and no boot happens before the drives were checked', (t) => {
  const drive = new Run(graph, settings);
  t.deepEqual(
    drive.operations.map((operation) => labelOf(drive, operation)),
    ['check-drives'],
  );
  t.deepEqual(drive.operations[0]?.input, { eraseSettings: [{ disks: ['sda'] }] });
  drive.fail(drive.operations[0] as Operation, 'ERASE_REJECTED');
  t.is(drive.row.status, 'failed');
  t.is(drive.row.error?.code, 'ERASE_REJECTED');
});

test('a failure to set PXE does not stop the graph; a failed reboot does', (t) => {
  const drive = new Run(graph, settings);
  until(drive, 'set-boot-pxe');
  drive.send({
    type: 'work.failed',
    operation: (working(drive)[0] as Operation).id,
    error: { name: 'E', message: 'm', code: 'C', retry: false },
  });
  t.is(labelOf(drive, working(drive)[0] as Operation), 'reboot-start');
  drive.send({
    type: 'work.failed',
    operation: (working(drive)[0] as Operation).id,
    error: { name: 'E', message: 'm', code: 'C', retry: false },
  });
  drive.endAborted();
  t.is(drive.row.status, 'failed');
  t.is(drive.states()['drive-secure-erase'], 'cancelled');
});

test('the delay is ten seconds, or the value under either name', (t) => {
  const delay = (label: string, more: object = {}) => {
    const drive = new Run(graph, { ...settings, ...more });
    until(drive, 'wait-agent');
    drive.done(working(drive)[0] as Operation, {});
    t.is(drive.states()[label], 'waiting', label);
    return Math.min(...Object.values(drive.row.timers).map(({ at }) => at)) - drive.now;
  };
  t.is(delay('disk-scan-delay'), 10_000);
  t.is(delay('disk-scan-delay', { 'disk-scan-delay': { duration: 7 } }), 7);
  t.is(delay('drive-scan-delay', { 'drive-scan-delay': { duration: 8 } }), 8);
});

test('drives are cataloged after the delay and before the erase, and again after it; the node is released', (t) => {
  const drive = new Run(graph, settings);
  until(drive, 'drive-secure-erase');
  t.is(drive.states()['catalog-drive-id-before'], 'succeeded');
  t.is(drive.states()['catalog-lsblk-before'], 'succeeded');
  t.is(drive.states().bootstrap, 'waiting');
  drive.send({
    type: 'work.failed',
    operation: (working(drive)[0] as Operation).id,
    error: { name: 'E', message: 'sda', code: 'ERASE_FAILED', retry: false },
  });
  until(drive, 'finish-bootstrap');
  t.is(drive.states()['catalog-drive-id-after'], 'succeeded');
  t.is(drive.states()['catalog-lsblk-after'], 'succeeded');
  drive.send({ type: 'release', group: 'bootstrap' });
  drive.done(working(drive)[0] as Operation, {});
  until(drive, 'reboot-end');
  for (const operation of working(drive)) drive.done(operation, {});
  for (const operation of working(drive)) drive.done(operation, {});
  t.is(drive.row.status, 'failed');
  t.like(drive.row.error, { code: 'ERASE_FAILED', message: 'sda' });
});
