/** The journal after a power failure: of the database file and its log only the synced writes are left. */
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { needing } from '../../../support/ava/needs.ts';
import { startJournal } from '../../../support/engine/journal.ts';
import { startChild } from '../../../support/faults/child.ts';
import { noSyncedDisk, syncedDisk } from '../../../support/faults/synced-disk.ts';

const ANSWERED = 400;

needing(noSyncedDisk, 'cc').serial(
  'a power failure while rows move, rest and end leaves every answered step, with its history',
  async (t) => {
    const disk = syncedDisk(t);
    const child = startChild(
      `
    import { openEmbeddedStore } from './engine/platform/store/embedded.ts';
    import { newRow, stepped } from './test/conformance/live.ts';
    import { startJournal } from './test/support/engine/journal.ts';
    const { workflows, rest } = await startJournal(await openEmbeddedStore({ dataDir: ${JSON.stringify(join(disk.path, 'data'))} }));
    const answered = ({ id, version }) => console.log(id + ' ' + version);
    const lane = async () => {
      for (;;) {
        let row = newRow();
        await workflows.insert([row]);
        answered(row);
        while (Object.keys(row.operations).length > 0) {
          const next = stepped(row);
          await workflows.save([{ before: row, row: next }]);
          row = next;
          answered(row);
        }
        await workflows.settle([{ before: row, row: { ...row, version: row.version + 1, pendingEffects: [], pending: false } }]);
      }
    };
    const resting = async () => {
      for (;;) {
        await rest(true);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all([resting(), ...Array.from({ length: 10 }, lane)]);
  `,
      disk.env,
    );
    const versions = new Map<string, number>();
    const note = (line: string) => versions.set(line.split(' ')[0] ?? '', Number(line.split(' ')[1]));
    for (let lines = 0; lines < ANSWERED; lines += 1) note((await child.line()) ?? '');
    await child.kill('SIGKILL');
    // The last line may be cut.
    for (let line = await child.line(); line !== undefined; line = await child.line()) {
      if (/^\S{36} \d+$/.test(line)) note(line);
    }
    const store = await openEmbeddedStore({ dataDir: join(disk.afterPowerFailure(), 'data') });
    t.teardown(() => store.close());
    const { workflows, history } = await startJournal(store);
    for (const [id, version] of versions) {
      const row = await workflows.get(id);
      t.true((row?.version ?? 0) >= version, `${id} ${version}`);
      const steps = await history.after(id, 0, 1_000);
      t.is(steps.at(-1)?.last, row?.counts.history);
      t.is(steps.flatMap(({ lines }) => lines).length, row?.counts.history ?? 0);
    }
  },
);
