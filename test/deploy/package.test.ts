/** The package that `npm pack` makes, as its user has it: a daemon, a command, a kit for graphs. */
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { drawn } from '../drawn.mjs';
import { fileScope } from '../support/ava/file-scope.ts';
import { folder } from '../support/ava/folder.ts';
import type { Scope } from '../support/ava/scope.ts';
import { ended, launch } from '../support/faults/workload.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { freePort } from '../support/servers/server.ts';
import { shared } from '../support/servers/shared-resources.ts';
import { installKit, installPacked, type Packed, packProject } from '../support/source/packed-project.ts';
import { runPage } from '../support/source/page-run.ts';

const PROGRAM = 'node_modules/nodewright/api/nodewright.mjs';

const scope = fileScope();
let packed: Packed;

test.before(() => {
  packed = packProject(scope);
});

const graph = (options: string): string => `import { defineGraph, FAILED } from 'nodewright/define';
import noop from 'nodewright/tasks/noop.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.WarmUp',
  friendlyName: 'Warm up',
  tasks: { prepare: noop },
});

export default createMachine({
  id: 'Graph.WarmUp',
  initial: 'preparing',
  states: {
    preparing: { invoke: { src: 'prepare', input: ${options}, onDone: 'done', onError: 'failed' } },
    done: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
});
`;

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: [],
};

const site = (owner: Scope): string => completed(installPacked(owner, packed, ['typescript']));

function completed(home: string): string {
  for (const name of ['graphs', 'tasks']) mkdirSync(join(home, name));
  writeFileSync(join(home, 'graphs/warm-up.ts'), graph('{ delay: 1 }'));
  return home;
}

/** For the tests that change nothing in it. */
const installed = shared(async (file) => site(file));

const served = shared(async (file) => {
  const home = site(file);
  return { home, daemon: await startDaemonProcess(file, { cwd: home, program: [PROGRAM, 'serve'] }) };
});

const run = (cwd: string, program: string, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8' });

test('the package has no tests, no fixtures, and no sources but those that definitions are bundled with', (t) => {
  const { paths } = packed;
  for (const needed of [
    'dist/daemon.mjs',
    'dist/nw.mjs',
    'dist/define.mjs',
    'dist/test.mjs',
    'dist/types/api/story/declarations.d.ts',
    'README.md',
    'LICENSE',
    'graphs/drive-secure-erase.ts',
    'dist/docs/index.html',
    'docs/generated/errors/NODE_BUSY.md',
  ])
    t.true(paths.includes(needed), needed);
  const sources = paths.filter((path) => /(?<!\.d)\.ts$/.test(path));
  const places =
    /^(graphs|tasks|engine\/(define|vocabulary|hardware\/(baseline|burn-in|erase|firmware|install|jobs|racadm|raid|redfish|rest)))\//;
  t.deepEqual(
    sources.filter((path) => !places.test(path)),
    [],
  );
  t.deepEqual(
    paths.filter((path) => /^(test|fixtures|node_modules)\/|\.test\.[cm]?tsx?$/.test(path)),
    [],
  );
});

test.serial('nw serve runs a daemon in an empty folder, and serves its graphs with the included ones', async (t) => {
  const { daemon } = await served();
  t.is((await ended(daemon, await launch(daemon, 'Graph.WarmUp'))).status, 'succeeded');
  t.is((await ended(daemon, await launch(daemon, 'Graph.noop-example'))).status, 'succeeded');
  const { origin } = new URL(daemon.authorized('').url);
  const page = await (await fetch(`${origin}/ui`)).text();
  const [script = ''] = /\/ui\/assets\/main-\w+\.js/.exec(page) ?? [];
  t.is((await fetch(`${origin}${script}`)).status, 200);
  t.regex(await (await fetch(`${origin}/docs/operate/`)).text(), /<h1 id="operate"/);
  await daemon.kill('SIGKILL');
  await daemon.start();
  t.is((await ended(daemon, await launch(daemon, 'Graph.WarmUp'))).status, 'succeeded');
});

test.serial(
  'a graph that cannot be used is named with its line and the reason, and the others are served',
  async (t) => {
    const { home, daemon } = await served();
    await daemon.kill('SIGKILL');
    writeFileSync(
      join(home, 'graphs/broken.ts'),
      "import noop from 'nodewright/tasks/nope.ts';\nexport default noop;\n",
    );
    writeFileSync(join(home, 'graphs/wrong.ts'), graph("{ delay: 'soon' }").replaceAll('WarmUp', 'Wrong'));
    await daemon.start();
    const { body } = await daemon.api('GET', '/workflows/graphs?errors=true');
    const messages = body.map(({ file, message }: { file: string; message: string }) => `${file}: ${message}`).sort();
    t.is(messages.length, 2, messages.join('\n'));
    t.regex(messages[0], /graphs\/broken\.ts: .*nope\.ts.* at \S+graphs\/broken\.ts:1/);
    t.regex(messages[1], /graphs\/wrong\.ts: .*delay.*integer/);
    t.is((await ended(daemon, await launch(daemon, 'Graph.WarmUp'))).status, 'succeeded');
  },
);

const testOfGraph = (label: string): string => `import { explore, harness, load, simulate } from 'nodewright/test';
import type { Exploration } from 'nodewright/test';

const graph = await load('graphs/warm-up.ts');
const run = simulate(graph, { ends: { ${label}: ['fail', 'ok'] } }).until();
const found: Exploration = explore(graph);
const { failures } = await harness(graph);
if (run.status !== 'failed' || found.ends.length !== 2 || failures.passed !== 1) throw new Error(run.trace.join());
`;

test.serial('the declarations of the package check a graph and its test: a wrong option is an error', (t) => {
  const home = site(t);
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['graphs', 'warm-up.test.mts'] }),
  );
  writeFileSync(join(home, 'warm-up.test.mts'), testOfGraph('prepare'));
  const tsc = packagePath('node_modules/typescript/bin/tsc');
  const right = run(home, tsc);
  t.is(right.status, 0, right.stdout);
  writeFileSync(join(home, 'graphs/warm-up.ts'), graph('{ dealy: 1 }'));
  t.regex(run(home, tsc).stdout, /warm-up\.ts\(14,\d+\): error .*dealy/s);
});

/** Removes the types. */
const plain = (text: string) => text.replace(/^import type .*\n/m, '').replace(': Exploration', '');

test.serial('the package explores, simulates and tests a graph', async (t) => {
  const home = await installed();
  writeFileSync(join(home, 'warm-up.test.mjs'), plain(testOfGraph('prepare')));
  const tested = run(home, 'warm-up.test.mjs');
  t.is(tested.status, 0, tested.stderr);
  writeFileSync(join(home, 'wrong.test.mjs'), plain(testOfGraph('prepar')));
  const wrong = run(home, 'wrong.test.mjs');
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /found ends of 'prepar'; expected a label of Graph\.WarmUp; it has prepare/);
  t.true(Math.max(...wrong.stderr.split('\n').map(({ length }) => length)) < 1_000, 'no bundle in the message');
  const command = run(home, PROGRAM, 'test', 'graphs/warm-up.ts');
  t.is(command.status, 0, command.stderr);
  t.regex(command.stdout, /fails at each of 1 calls +1\/1\n/);
});

test.serial("the authors' kit checks and tests a graph with five packages, and has no daemon", async (t) => {
  const out = folder(t);
  const made = run(packagePath('.'), 'api/build/kit.mjs', packed.file, out);
  t.is(made.status, 0, made.stderr);
  const home = completed(installKit(t, join(out, 'nodewright-kit-0.1.0.tgz'), ['typescript']));
  t.deepEqual(readdirSync(join(home, 'node_modules')).sort(), [
    '@esbuild',
    'esbuild',
    'jsonc-parser',
    'nodewright',
    'typebox',
    'typescript',
    'undici',
    'xstate',
  ]);
  const nw = (...args: string[]) => run(home, 'node_modules/nodewright/dist/nw.mjs', ...args);
  const checked = nw('check', 'graphs');
  t.is(checked.status, 0, checked.stderr);
  t.regex(checked.stdout, /every path can end +ok\n/);
  t.regex(nw('test', 'graphs/warm-up.ts').stdout, /fails at each of 1 calls +1\/1\n/);
  t.regex(nw('simulate', 'Graph.Drive.SecureErase').stdout, /graph: .* -> erased\nsucceeded\n/);
  t.regex(nw('serve').stderr, /unknown command 'serve'/);
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['graphs', 'warm-up.test.mts'] }),
  );
  writeFileSync(join(home, 'warm-up.test.mts'), testOfGraph('prepare'));
  const types = run(home, packagePath('node_modules/typescript/bin/tsc'));
  t.is(types.status, 0, types.stdout);
  writeFileSync(join(home, 'warm-up.test.mjs'), plain(testOfGraph('prepare')));
  const tested = run(home, 'warm-up.test.mjs');
  t.is(tested.status, 0, tested.stderr);
  for (const file of [join(home, 'node_modules/nodewright/package.json'), packagePath('package.json')]) {
    t.false('private' in JSON.parse(readFileSync(file, 'utf8')), 'npm publishes it');
  }
});

test.serial('the command of the package runs without the sources', async (t) => {
  const home = await installed();
  const help = run(home, PROGRAM, '--help');
  t.is(help.status, 0);
  t.regex(help.stdout, /^Usage: nw /);
  const away = run(home, PROGRAM, 'nodes', '--url', 'http://127.0.0.1:1');
  t.is(away.status, 1);
  t.regex(away.stderr, /^nw: No daemon listens at 127\.0\.0\.1:1; /);
  // As npm and the Debian package link it.
  symlinkSync(join(home, 'node_modules/nodewright/api/nw'), join(home, 'nw'));
  const { status, stdout, stderr } = spawnSync(join(home, 'nw'), ['--version'], { cwd: '/', encoding: 'utf8' });
  t.is(status, 0, stderr);
  t.regex(stdout, /^\d+\.\d+\.\d+\n$/);
});

/** Programs and libraries of Linux, by their first bytes. */
const nativeParts = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.node$|^esbuild$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).subarray(0, 4).equals(ELF));

const ELF = Buffer.from('\x7fELF', 'latin1');

/** @returns Debian's name of the processor, which a header of ELF has at byte 18 */
const processorOf = (path: string) => ({ 62: 'amd64', 183: 'arm64' })[readFileSync(path).readUInt16LE(18)];

const hasDebian = spawnSync('dpkg-deb', ['--version']).status === 0;

(hasDebian ? test.serial : test.serial.skip)(
  'a release has a Debian package with the locked packages, their list, and signed checksums',
  async (t) => {
    const [home, tree] = [folder(t), folder(t)];
    const key = join(home, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', key]);
    const out = join(home, 'release');
    const own = process.arch === 'arm64' ? 'arm64' : 'amd64';
    // Each takes an installation of all packages.
    const architectures = [...new Set([own, ...drawn(['amd64', 'arm64'], 1 / 2)])];
    const options = ['--draft', '--packed', packed.file, '--out', out, '--key', key];
    const made = run(
      packagePath('.'),
      'api/build/release.mjs',
      ...options,
      ...architectures.flatMap((name) => ['--architecture', name]),
    );
    t.is(made.status, 0, made.stderr);
    const debs = architectures.map((name) => `nodewright_0.1.0_${name}.deb`);
    t.deepEqual(
      readdirSync(out).sort(),
      [
        'SHA256SUMS',
        'SHA256SUMS.sig',
        'nodewright-0.1.0.cdx.json',
        'nodewright-0.1.0.tgz',
        'nodewright-kit-0.1.0.tgz',
        ...debs,
      ].sort(),
    );
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out });
    writeFileSync(join(home, 'signers'), `release ${readFileSync(`${key}.pub`, 'utf8')}`);
    const verify = ['-Y', 'verify', '-n', 'nodewright', '-I', 'release', '-f', join(home, 'signers')];
    const sums = readFileSync(join(out, 'SHA256SUMS'));
    execFileSync('ssh-keygen', [...verify, '-s', join(out, 'SHA256SUMS.sig')], { input: sums });

    for (const [deb, architecture] of debs.map((name, at) => [join(out, name), architectures[at]] as const)) {
      const field = (name: string) => execFileSync('dpkg-deb', ['-f', deb, name], { encoding: 'utf8' }).trim();
      const fields = ['Package', 'Version', 'Depends', 'Architecture'].map(field);
      t.deepEqual(fields, ['nodewright', '0.1.0', 'nodejs (>= 20.19)', architecture]);
      const to = join(tree, architecture ?? '');
      execFileSync('dpkg-deb', ['-x', deb, to]);
      const native = nativeParts(to);
      t.true(native.length >= 3, 'the database, esbuild and msgpackr');
      for (const path of native) t.is(processorOf(path), architecture, path);
    }
    const unpacked = join(tree, own, 'opt/nodewright');
    const { components } = JSON.parse(readFileSync(join(out, 'nodewright-0.1.0.cdx.json'), 'utf8'));
    const listed = components.map(({ purl }: { purl: string }) => purl.replace('pkg:npm/', '').replace('%40', '@'));
    const { dependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      const { version } = JSON.parse(readFileSync(join(unpacked, 'node_modules', name, 'package.json'), 'utf8'));
      t.true(listed.includes(`${name}@${version}`), name);
    }
    t.false(existsSync(join(unpacked, 'node_modules/ava')));
    t.false(listed.some((one: string) => one.startsWith('ava@')));

    const daemon = await startDaemonProcess(t, { cwd: home, program: [join(unpacked, 'dist/daemon.mjs')] });
    t.is((await ended(daemon, await launch(daemon, 'Graph.noop-example'))).status, 'succeeded');
  },
);

test.serial('the page for authors runs in the package as it is printed: from an idea to a tested graph', async (t) => {
  const home = site(t);
  rmSync(join(home, 'graphs'), { recursive: true });
  const [north, south] = [await freePort(), await freePort()];
  const httpEndpoints = [
    { address: '127.0.0.1', port: north, routers: 'northbound-api-router', authEnabled: true },
    { address: '127.0.0.1', port: south, routers: 'southbound-api-router' },
  ];
  writeFileSync(join(home, 'config.json'), JSON.stringify({ httpEndpoints }));
  const page = readFileSync(packagePath('docs/author/ten-minutes.md'), 'utf8');
  await runPage(t, page, {
    '/tmp/warm-up': home,
    // It is installed, without a registry.
    'npm init -y > npm.log && npm install ./nodewright-0.1.0.tgz >> npm.log\n': `export NW_URL=http://127.0.0.1:${north} NW_CONTEXTS=${home}/contexts.json\n`,
    // A reader types more slowly than the first steps take.
    'nw why r1s1\n': "until nw why r1s1 > why && grep -q '`back`' why; do sleep 0.2; done; cat why\n",
    'npx nw ': `${process.execPath} ${PROGRAM} `,
    '127.0.0.1:9080': `127.0.0.1:${south}`,
  });
});
