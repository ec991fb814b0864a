/** Kept bundles: when a start uses them, and when it bundles a file again. */
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { sha256 } from '../../../../engine/library/options/hash.ts';
import { openLibrary } from '../../../../engine/library/versions/library.ts';
import { folder } from '../../../support/ava/folder.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const BUILD = 'build 1';
/** Files that changed so shortly before a build are not kept. */
const SETTLED_MS = 200;
const log = { info: () => {}, warn: () => {} };

const definition = (from: string) => `import { defineTask, Type } from 'nodewright/define';
import { title } from '${from}';
export default defineTask({
  injectableName: 'Task.Kept',
  friendlyName: title,
  recovery: 'idempotent',
  optionsSchema: Type.Object({}),
  options: {},
  run: async () => null,
});
`;

interface Scene {
  at: string;
  file: string;
  part: string;
  cacheDir: string;
  /**
   * Starts and stops a library, and returns the name of its task.
   * @param built the results that come with the build
   */
  start(build?: string, built?: string): Promise<string | undefined>;
  /** The files with kept bundles. */
  kept(): string[];
}

async function scene(t: ExecutionContext, from = './_part.ts', at = folder(t)): Promise<Scene> {
  const [file, part] = [join(at, 'kept.ts'), join(at, '_part.ts')];
  writeFileSync(file, definition(from));
  writeFileSync(part, "export const title = 'One';\n");
  await pause(SETTLED_MS);
  const cacheDir = folder(t);
  const bundles = join(cacheDir, 'bundles');
  return {
    at,
    file,
    part,
    cacheDir,
    async start(build = BUILD, built = join(cacheDir, 'none')) {
      const reuse = { build, built };
      const folders = { graphs: [], tasks: [at] };
      const library = await openLibrary({ folders, cacheDir, store: new MemoryStore(), log, reuse });
      t.deepEqual(
        library.errors().filter((error) => error.file === file),
        [],
      );
      await library.close();
      return library.task('Task.Kept')?.friendlyName;
    },
    kept: () => (existsSync(bundles) ? readdirSync(bundles).map((name) => join(bundles, name)) : []),
  };
}

/** Makes the kept bundle differ from its source, so that its use shows. */
function forge(path: string, change: (kept: Record<string, string>) => object = (kept) => kept): void {
  const kept = JSON.parse(readFileSync(path, 'utf8'));
  const text = kept.text.replaceAll('One', 'Forged');
  writeFileSync(path, JSON.stringify(change({ ...kept, text, hash: sha256(text) })));
}

test('a start uses the bundles of an earlier one', async (t) => {
  const it = await scene(t);
  t.is(await it.start(), 'One');
  t.is(it.kept().length, 1);
  forge(it.kept()[0] as string);
  t.is(await it.start(), 'Forged');
});

/** Another start on the same files, after one whose results are in the folder `built`, as those of the build are. */
async function later(t: ExecutionContext) {
  const first = await scene(t);
  await first.start();
  const { text, hash } = JSON.parse(readFileSync(first.kept()[0] as string, 'utf8'));
  writeFileSync(join(first.cacheDir, 'texts/forged.mjs'), text.replaceAll('One', 'Of the build'));
  const module = `export * as text_${hash} from './texts/forged.mjs';\n`;
  return { second: await scene(t, undefined, first.at), built: first.cacheDir, module };
}

test('a start imports the module of the build rather than the text, and writes no text', async (t) => {
  const { second, built, module } = await later(t);
  writeFileSync(join(built, 'modules.mjs'), module);
  t.is(await second.start(BUILD, built), 'Of the build');
  t.false(existsSync(join(second.cacheDir, 'texts')));
});

test('a file that has changed since the build is not imported from its modules', async (t) => {
  const { second, built, module } = await later(t);
  writeFileSync(join(built, 'modules.mjs'), module);
  writeFileSync(second.part, "export const title: string = 'Two';\n");
  t.is(await second.start(BUILD, built), 'Two');
});

for (const [name, text] of Object.entries({ 'no such file': '', 'no module of that text': '0;\n' })) {
  test(`a definition is bundled again if the build has ${name}`, async (t) => {
    const { second, built } = await later(t);
    if (text !== '') writeFileSync(join(built, 'modules.mjs'), text);
    t.is(await second.start(BUILD, built), 'One');
    t.is(second.kept().length, 1);
  });
}

const changes: Record<string, (it: Scene, kept: string) => void> = {
  'the file has changed': ({ file }) => writeFileSync(file, `${definition('./_part.ts')}// changed\n`),
  'a file that it imports has changed': ({ part }) => writeFileSync(part, "export const title: string = 'One';\n"),
  'a file that it imports is behind a link now': ({ at, part }) => {
    renameSync(part, join(at, '_moved.ts'));
    symlinkSync(join(at, '_moved.ts'), part);
  },
  'a package.json has appeared beside it': ({ at }) => writeFileSync(join(at, 'package.json'), '{}\n'),
  'others may write it': (_, kept) => chmodSync(kept, 0o620),
  'it is damaged': (_, kept) => writeFileSync(kept, readFileSync(kept, 'utf8').slice(0, -10)),
  'its text does not have its hash': (_, kept) => forge(kept, ({ text, ...rest }) => ({ ...rest, text: `${text} ` })),
  'it is that of another file': (_, kept) => forge(kept, (one) => ({ ...one, file: 'graphs/noop-example.ts' })),
  'it has other fields': (_, kept) => writeFileSync(kept, JSON.stringify({ build: BUILD })),
};

for (const [name, change] of Object.entries(changes)) {
  test(`a kept bundle is not used if ${name}`, async (t) => {
    const it = await scene(t);
    await it.start();
    const [kept = ''] = it.kept();
    forge(kept);
    change(it, kept);
    t.is(await it.start(), 'One');
  });
}

test('a kept bundle is not used by another build of the engine', async (t) => {
  const it = await scene(t);
  await it.start();
  forge(it.kept()[0] as string);
  t.is(await it.start('build 2'), 'One');
});

test('a bundle is not kept if another file could take the place of one that it imports', async (t) => {
  const it = await scene(t, './_part');
  t.is(await it.start(), 'One');
  t.deepEqual(it.kept(), []);
});

test('bundles of removed files are removed by the next start', async (t) => {
  const it = await scene(t);
  await it.start();
  renameSync(it.file, join(it.at, '_kept.ts'));
  t.is(await it.start(), undefined);
  t.deepEqual(it.kept(), []);
});
