/** Definition files that the daemon must not load: a separate process tries them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { DefinitionLibrary, openLibrary } from '../../../../engine/library/versions/library.ts';
import type { Definition } from '../../../../engine/library/versions/sku-definitions.ts';
import { folder } from '../../../support/ava/folder.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { lines, seen } from '../../../support/faults/workload.ts';

/** ms; a trial that waits for a processor has longer. */
const LIMIT_MS = 8_000;
const LATE = new RegExp(`still loading after ${LIMIT_MS} ms`);

const machine = (name: string): string => `
import { createMachine } from 'xstate';
export default createMachine({ id: '${name}', initial: 'a', states: { a: { always: 'b' }, b: { type: 'final' } } });`;

/** Each beside a good file, with the reason for its rejection. */
const bad: Record<string, { code: string; reason: RegExp }> = {
  exit: { code: 'process.exit(0);', reason: /ended its process .*exit code 0, as by process\.exit/ },
  'exit-later': { code: 'setImmediate(() => process.exit(3));', reason: /ended its process .*exit code 3/ },
  loop: { code: 'for (;;) {}', reason: LATE },
  'loop-later': { code: 'void (async () => { await null; for (;;) {} })();', reason: LATE },
  never: { code: 'await new Promise(() => {});', reason: /something that never happens/ },
  hang: { code: 'await new Promise(() => setInterval(() => {}, 1e6));', reason: LATE },
  memory: {
    code: 'const all = []; for (;;) all.push(new Array(1e6).fill(1.5));',
    reason: /ended its process .*memory/,
  },
  buffers: {
    code: 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 24, 1));',
    reason: /ended its process .*memory/,
  },
  abort: { code: 'process.abort();', reason: /ended its process .*process\.abort/ },
  timer: { code: 'setInterval(() => {}, 1_000);', reason: /something still running \(Timeout\)/ },
  thread: {
    code: `import { Worker } from 'node:worker_threads'; new Worker('setInterval(() => {}, 1e6)', { eval: true });`,
    reason: /a running thread/,
  },
  server: {
    code: `import net from 'node:net'; net.createServer().listen(0, '127.0.0.1');`,
    reason: /TCPSERVERWRAP|TCPServerWrap/i,
  },
  throws: { code: `throw new Error('no good');`, reason: /'no good' thrown while loading at .*throws\.ts:4/ },
};

async function opened(t: ExecutionContext, dir: string, packs: Definition[] = []): Promise<DefinitionLibrary> {
  const library = await openLibrary({
    folders: { graphs: [join(dir, 'graphs')], tasks: [] },
    cacheDir: join(dir, 'cache'),
    store: new MemoryStore(),
    packs: async () => packs,
    limitMs: LIMIT_MS,
    log: { info: () => {}, warn: () => {} },
  });
  t.teardown(() => library.close());
  return library;
}

function placed(t: ExecutionContext, files: Record<string, string>): string {
  const dir = folder(t);
  mkdirSync(join(dir, 'graphs'));
  for (const [name, code] of Object.entries(files)) {
    writeFileSync(join(dir, 'graphs', `${name}.ts`), `${machine(`Graph.Test.${name}`)}\n${code}\n`);
  }
  return dir;
}

test('a file that misbehaves when it is loaded is rejected, and no other file is', async (t) => {
  const dir = placed(t, {
    ...Object.fromEntries(Object.entries(bad).map(([name, { code }]) => [name, code])),
    good: '',
  });
  const library = await opened(t, dir);
  t.deepEqual(
    library.graphs().map(({ name }) => name),
    ['Graph.Test.good'],
  );
  const errors = new Map(library.errors().map(({ file, message }) => [basename(file, '.ts'), message]));
  for (const [name, { reason }] of Object.entries(bad)) t.regex(errors.get(name) ?? '', reason, name);
  t.is(errors.size, Object.keys(bad).length);
});

test('a file is tried once, and again after a change', async (t) => {
  const dir = placed(t, {});
  const ledger = join(dir, 'ledger');
  const file = join(dir, 'graphs', 'noted.ts');
  const put = (line: string) =>
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs';\nappendFileSync('${ledger}', '${line}\\n');${machine('Graph.Test.Noted')}`,
    );
  put('first');
  await (await opened(t, dir)).close();
  t.deepEqual(await lines(ledger), ['first', 'first'], 'by the trial, and by the library');
  await (await opened(t, dir)).close();
  t.is((await lines(ledger)).length, 2, 'this process has loaded it already');
  put('second');
  await (await opened(t, dir)).close();
  t.deepEqual((await lines(ledger)).slice(2), ['second', 'second']);
});

test('a file that an earlier process rejected is rejected immediately, and then tried again', async (t) => {
  const dir = placed(t, { good: '' });
  const first = await opened(t, dir);
  await first.close();
  const tried = join(dir, 'cache', 'tried.json');
  const kept = JSON.parse(readFileSync(tried, 'utf8'));
  const [hash] = kept.passed;
  const why = { found: 'a machine that was too busy', expected: 'another' };
  writeFileSync(tried, JSON.stringify({ ...kept, passed: [], rejected: [[hash, why]] }));
  const second = await opened(t, dir);
  t.regex(second.errors()[0]?.message ?? '', /too busy/);
  await seen(async () => second.graph('Graph.Test.good') !== undefined);
  t.deepEqual(second.errors(), []);
});

test('a file on trial does not see the environment of the daemon', async (t) => {
  const dir = placed(t, {});
  const ledger = join(dir, 'ledger');
  process.env.TEST_TRIALS_SECRET = 'hush';
  t.teardown(() => delete process.env.TEST_TRIALS_SECRET);
  const code = `import { appendFileSync } from 'node:fs';\nappendFileSync('${ledger}', String(process.env.TEST_TRIALS_SECRET) + '\\n');`;
  writeFileSync(join(dir, 'graphs', 'reads.ts'), `${code}${machine('Graph.Test.Reads')}`);
  await opened(t, dir);
  t.deepEqual(await lines(ledger), ['undefined', 'hush']);
});

test('code of a pack is tried like files', async (t) => {
  const text = (name: string, code: string) => `${machine(name)}\n${code}`;
  const pack = (name: string, code: string): Definition => ({
    what: 'graph',
    name: `${name}::s`,
    sku: 's',
    text: text(name, code),
  });
  const dir = placed(t, {});
  const packs = [pack('Graph.Test.Good', ''), pack('Graph.Test.Exits', 'process.exit(0)')];
  const library = await opened(t, dir, packs);
  t.deepEqual(
    library.graphs().map(({ name }) => name),
    ['Graph.Test.Good::s'],
  );
  t.regex(library.errors()[0]?.message ?? '', /ended its process/);
  await t.throwsAsync(
    library.putPack('t', [{ ...pack('Graph.Test.Exits', 'process.exit(1)'), sku: 't' }], async () => {}),
    { message: /ended its process/ },
  );
});

test('closing a library ends the running trial', async (t) => {
  const dir = placed(t, { loop: '' });
  const mark = join(dir, 'mark');
  writeFileSync(
    join(dir, 'graphs', 'loop.ts'),
    `import { appendFileSync } from 'node:fs';\nappendFileSync('${mark}', process.pid + '\\n');\nfor (;;) {}`,
  );
  const library = await DefinitionLibrary.prepare({
    folders: { graphs: [join(dir, 'graphs')], tasks: [] },
    cacheDir: join(dir, 'cache'),
    store: new MemoryStore(),
    log: { info: () => {}, warn: () => {} },
  });
  const loading = library.load();
  const [pid] = await seen(async () => (await lines(mark)).length > 0 && lines(mark));
  library.stop();
  await loading;
  await library.close();
  t.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
});
