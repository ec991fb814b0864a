/** Stored patterns of an earlier version that are no longer supported do not prevent a start. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { AlertRule } from '../../../../engine/api-port/index.ts';
import { PollerRequests } from '../../../../engine/inventory/nodes/poller-requests.ts';
import { PollerData, pollerDataSpec, type StoredReadings } from '../../../../engine/inventory/pollers/poller-data.ts';
import { pollerSpec, type StoredPoller } from '../../../../engine/inventory/pollers/stored-poller.ts';
import { type StoredSku, skuSpec } from '../../../../engine/inventory/skus/stored-sku.ts';
import { openLibrary } from '../../../../engine/library/versions/library.ts';
import { UnsupportedPatterns } from '../../../../engine/platform/patterns/unsupported.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import { cipherOf } from '../../../../engine/platform/secrets/secrets.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { pendingIn } from '../../../support/engine/pending.ts';
import { openSkuProcess } from '../../../support/engine/sku-process.ts';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

test('a stored SKU with an unsupported rule matches no node, is shown with the reason, and the others are assigned', async (t) => {
  const store = new MemoryStore();
  const stored = await store.collection<StoredSku>(skuSpec);
  const rules = [{ path: 'dmi.kind' }, { path: 'dmi.kind', notRegex: '(?<!a)b' }];
  await stored.insert({
    id: 'old',
    name: 'old',
    rules,
    ...times,
    discoveryGraphName: null,
    discoveryGraphOptions: null,
  });
  const it = await openSkuProcess(t, { store, channel: localChannels(() => {}).channel<null>('skus') });
  const { id } = await it.skus.create({ name: 'new', rules: [{ path: 'dmi.kind', regex: '^x$' }] });
  const node = await it.node({ dmi: { kind: 'x' } });
  t.is(await it.skuOf(node), id);
  t.deepEqual(it.unsupported, ['old']);
  t.deepEqual(
    (await it.skus.get('old'))?.unsupported?.map(({ path }) => path),
    ['rules.1.notRegex'],
  );
  t.is((await it.skus.get(id))?.unsupported, undefined);
});

test('a stored poller with an unsupported alert rule is shown with the reason', async (t) => {
  const stored = await new MemoryStore().collection<StoredPoller>(pollerSpec);
  const { pending, publisher } = await pendingIn(stored);
  const jobs = { schedule: async () => {}, unschedule: async () => {} };
  const data = new PollerData(await new MemoryStore().collection<StoredReadings>(pollerDataSpec));
  const cipher = cipherOf(['secret'], 'obms');
  const pollers = new PollerRequests(stored, pending, publisher, async () => new Set(['n']), jobs, data, cipher);
  const { id } = await pollers.create({ type: 'ipmi', node: 'n' });
  const alerts: AlertRule[] = [{ severity: 'critical', Description: '/(a)\\1/' }];
  await t.throwsAsync(pollers.update(id, { config: { alerts } }), { code: 'INVALID', message: /back-reference/ });
  await stored.update({ id }, { $set: { config: { command: 'sel', alerts } } });
  t.deepEqual(
    (await pollers.get(id))?.unsupported?.map(({ path }) => path),
    ['config.alerts.0.Description'],
  );
});

test('a stored task with an unsupported schema is an error of the library, and the others are served', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'library-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const store = new MemoryStore();
  const tasks = await store.collection<{ id: string; text: string }>({ name: 'tasks', indexes: {} });
  const json = (name: string, pattern: string) => ({
    friendlyName: name,
    injectableName: name,
    implementsTask: 'Task.noop',
    options: {},
    optionsSchema: { properties: { note: { type: 'string', pattern } } },
  });
  for (const [name, pattern] of [
    ['Task.Old', '^(?=a)b'],
    ['Task.New', '^(a+)+$'],
  ] as const) {
    await tasks.insert({ id: name, text: JSON.stringify(json(name, pattern)), ...times });
  }
  const library = await openLibrary({
    folders: { graphs: [], tasks: ['tasks'] },
    cacheDir: join(dir, 'cache'),
    store,
    log: { info: () => {}, warn: () => {} },
  });
  t.teardown(() => library.close());
  t.is(library.task('Task.Old'), undefined);
  t.truthy(library.task('Task.New'));
  t.regex(library.errors()[0]?.message ?? '', /uses a look-ahead/);
});

test('each record is reported once, and again when the reason has changed', (t) => {
  const reported: string[] = [];
  const unsupported = new UnsupportedPatterns((id, violations) => reported.push(`${id} ${violations.length}`));
  const fault = { path: 'p', message: 'm' };
  for (const violations of [[], [fault], [fault], [fault, fault], []]) unsupported.check('a', violations);
  unsupported.check('b', [fault]);
  t.deepEqual(reported, ['a 1', 'a 2', 'b 1']);
});
