/** The versions that must not run, in several processes on one store. */
import test from 'ava';
import { BarredWorkflows } from '../../../../engine/durable/runtime/barred.ts';
import { BarredVersions, versionId } from '../../../../engine/durable/runtime/barred-versions.ts';
import { CHECK_LAUNCH } from '../../../../engine/durable/watchdog/marker.ts';
import { type Suspect, Suspects, suspectSpec } from '../../../../engine/durable/watchdog/suspects.ts';
import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const error = { name: 'E', code: 'QUARANTINED', message: 'it loops' };
const code = { version: 'abc' };
const one = { id: versionId('abc'), graph: 'Graph.Loop', cause: 'launch' };

/** Processes that receive no message from each other. @param rows ids of the workflows that there are */
async function opened(rows: readonly string[] = []) {
  const store = new MemoryStore();
  const suspects = new Suspects(await store.collection<Suspect>(suspectSpec));
  const failed = (failure: unknown) => {
    throw failure;
  };
  const member = () => {
    const workflows = new BarredWorkflows(suspects, (_, failure) => failed(failure));
    const versions = new BarredVersions({
      suspects,
      changes: { publish: async () => {}, subscribe: async () => async () => {} },
      hasRow: async (id) => rows.includes(id),
      read: workflows.keepOnly,
      failed,
    });
    return { workflows, versions };
  };
  return { suspects, first: member(), second: member() };
}

test('a version that was released by another process is rejected no more, although no message arrived', async (t) => {
  const { suspects, first, second } = await opened();
  await suspects.quarantine(one, error, Date.now());
  await Promise.all([first.versions.refresh(), second.versions.refresh()]);
  t.is((await second.versions.confirm(code))?.code, 'QUARANTINED');
  await t.throwsAsync(second.versions.reject(code), { code: 'QUARANTINED' });
  t.deepEqual(await first.versions.release(code), ['abc']);
  await second.versions.reject(code);
  t.is(second.versions.errorOf(code), undefined);
  t.deepEqual(await second.versions.release(code), []);
});

test('a release takes those workflows again that the version stopped before they had a row', async (t) => {
  const { suspects, first, second } = await opened(['with-row']);
  await suspects.quarantine(one, error, Date.now());
  for (const id of ['with-row', 'at-launch'])
    await suspects.quarantine({ ...one, id, cause: CHECK_LAUNCH, version: 'abc' }, error, Date.now());
  await suspects.quarantine({ ...one, id: 'other', cause: CHECK_LAUNCH, version: 'def' }, error, Date.now());
  for (const { workflows } of [first, second])
    for (const id of ['at-launch', 'other']) workflows.bar(id, error, CHECK_LAUNCH);
  await first.versions.release(code);
  await second.versions.refresh();
  for (const { workflows } of [first, second]) {
    workflows.reject('at-launch');
    t.throws(() => workflows.reject('other'), { code: 'QUARANTINED' });
  }
  t.deepEqual((await suspects.all()).map(({ id }) => id).sort(), ['other', 'with-row']);
});

test('a version is barred for a week', async (t) => {
  const { suspects, first } = await opened();
  await suspects.quarantine(one, error, Date.now() - 8 * DAY_MS);
  await first.versions.refresh();
  t.is(first.versions.errorOf(code), undefined);
  t.false(first.versions.isAnyBarred);
});
