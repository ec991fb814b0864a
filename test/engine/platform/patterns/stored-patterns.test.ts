/** A stored definition with a pattern that is not supported does not prevent a start. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openLibrary } from '../../../../engine/library/versions/library.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

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
