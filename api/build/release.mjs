/**
 * `npm run release -- [--out FOLDER] [--key FILE]`: makes the files of a release, in an empty folder:
 *
 * - `nodewright-VERSION.tgz`, as `npm pack` makes it, and `nodewright-kit-VERSION.tgz`, the authors' kit
 * - `nodewright_VERSION_ARCHITECTURE.deb` with the locked packages, for each `--architecture`: amd64 and arm64, with `--draft` that of this machine
 * - `nodewright-VERSION.cdx.json`, the list of these packages (CycloneDX)
 * - the packages of the clients, as `npm run clients` and `npm run terraform` make them
 * - `SHA256SUMS` of these files; with `--key`, a private key of OpenSSH, also `SHA256SUMS.sig`
 *
 * It refuses a commit that is not ready to be released. `--draft` makes the files anyway, without compression and without the clients,
 * `--packed FILE` from a package that is there.
 *
 * Two runs on one commit with the same versions of Node and npm make the same bytes: all times are that of the commit.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const deployed = join(root, 'fixtures/deploy');
const { out, key, packed, draft, architecture } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    key: { type: 'string' },
    packed: { type: 'string' },
    draft: { type: 'boolean', default: false },
    architecture: { type: 'string', multiple: true },
  },
}).values;
const target = resolve(out);
const { version, license } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));

/** @returns what it printed */
const run = (file, args, { cwd = root, env = {} } = {}) =>
  execFileSync(file, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  }).trim();

/** Seconds since 1970. */
const committed = run('git', ['log', '-1', '--format=%ct']);
/** Debian's names of architectures, and npm's. */
const processors = { amd64: 'x64', arm64: 'arm64' };
const architectures = architecture ?? (draft ? [run('dpkg', ['--print-architecture'])] : Object.keys(processors));

/** Writes a file and the folders above it. */
function write(path, text, mode = 0o644) {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text, { mode });
}

/** @returns the path of the package of npm */
function npmPackage() {
  const name = `nodewright-${version}.tgz`;
  if (packed === undefined) run('npm', ['pack', '--pack-destination', target]);
  else fs.copyFileSync(packed, join(target, name));
  return join(target, name);
}

/** An installation for a processor, without the packages that only development needs. npm gets the native parts of each. */
function install(archive, to, processor) {
  fs.mkdirSync(to, { recursive: true });
  run('tar', ['-xzf', archive, '--strip-components=1', '--no-same-permissions', '-C', to]);
  fs.copyFileSync(join(root, 'package-lock.json'), join(to, 'package-lock.json'));
  const platform = ['--os=linux', `--cpu=${processor}`, '--libc=glibc'];
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', ['ci', ...options, ...platform], { cwd: to });
}

const purlOf = (name, of) => `pkg:npm/${name.replace('@', '%40')}@${of}`;

/**
 * CycloneDX 1.5, from the lock: `npm sbom --omit=dev` of npm 11 leaves out packages that development needs too.
 * @param isInstalled of a path in the lock, on one of the architectures
 */
function billOfMaterials(isInstalled) {
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const components = Object.entries(packages)
    // Without those for other platforms.
    .filter(([path]) => path !== '' && isInstalled(path))
    .map(([path, { version: own, license: terms, integrity = '' }]) => {
      const name = path.replace(/^.*node_modules\//, '');
      const [, digest] = /^sha512-(\S+)/.exec(integrity) ?? [];
      return {
        type: 'library',
        'bom-ref': path,
        name,
        version: own,
        purl: purlOf(name, own),
        ...(terms && { licenses: [{ expression: terms }] }),
        ...(digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
      };
    });
  const timestamp = new Date(committed * 1_000).toISOString();
  const component = { type: 'application', 'bom-ref': 'nodewright', name: 'nodewright', version };
  const list = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { timestamp, component },
    components,
  };
  write(join(target, `nodewright-${version}.cdx.json`), `${JSON.stringify(list, null, 2)}\n`);
}

/** Completes the tree of a Debian package around /opt/nodewright. */
function completeTree(tree, architecture) {
  const unit = (name) => fs.readFileSync(join(deployed, 'systemd', name), 'utf8');
  const pages = 'file:///opt/nodewright/dist/docs/operate/operation.html';
  for (const name of fs.readdirSync(join(deployed, 'systemd')))
    write(
      join(tree, 'lib/systemd/system', name),
      unit(name).replace(/^Documentation=file:.*$/m, `Documentation=${pages}`),
    );
  write(join(tree, 'etc/nodewright/config.json'), '{ "dataDir": "/var/lib/nodewright/data" }\n');
  write(
    join(tree, 'usr/share/doc/nodewright/copyright'),
    `nodewright ${version}: ${license}, see /opt/nodewright/LICENSE and /opt/nodewright/NOTICE.\nEach folder of /opt/nodewright/node_modules has the license of its package.\n`,
  );
  fs.mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  for (const name of ['nw', 'nodewright']) fs.symlinkSync('/opt/nodewright/api/nw', join(tree, 'usr/bin', name));
  const facts = {
    VERSION: version,
    ARCHITECTURE: architecture,
    SIZE: run('du', ['-sk', '--apparent-size', tree]).split(/\s/)[0],
  };
  for (const name of fs.readdirSync(join(deployed, 'debian'))) {
    const text = fs
      .readFileSync(join(deployed, 'debian', name), 'utf8')
      .replace(/@([A-Z]+)@/g, (_, fact) => facts[fact]);
    write(join(tree, 'DEBIAN', name), text, name.startsWith('p') ? 0o755 : 0o644);
  }
}

function debianPackage(tree, architecture) {
  // All users read it, and only root writes, whatever the umask was.
  run('chmod', ['-R', 'u=rwX,go=rX', tree]);
  const file = join(target, `nodewright_${version}_${architecture}.deb`);
  // The best compression takes longer than everything else.
  const compression = draft ? '-Znone' : '-Zxz';
  run('dpkg-deb', ['--root-owner-group', compression, '--build', tree, file], {
    env: { SOURCE_DATE_EPOCH: committed },
  });
}

function clients() {
  const build = (script, ...args) =>
    run('npm', ['run', '--silent', script, '--', '--out', target, ...args], { env: { SOURCE_DATE_EPOCH: committed } });
  build('clients');
  build('terraform', 'linux/amd64', 'linux/arm64');
}

function checksums() {
  const names = fs.readdirSync(target).sort();
  const sum = (name) =>
    createHash('sha256')
      .update(fs.readFileSync(join(target, name)))
      .digest('hex');
  const list = join(target, 'SHA256SUMS');
  write(list, names.map((name) => `${sum(name)}  ${name}\n`).join(''));
  if (key !== undefined) run('ssh-keygen', ['-Y', 'sign', '-n', 'nodewright', '-f', resolve(key), list]);
}

/** @returns why the commit is not ready */
function problems() {
  const changes = fs.readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const { version: locked } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)^## \[/m.exec(changes) ?? [];
  const tag = `v${version}`;
  return [
    run('git', ['status', '--porcelain']) !== '' && 'the checkout has changes; commit them, or put them away',
    !run('git', ['tag', '--points-at', 'HEAD']).split('\n').includes(tag) && `the commit has no tag ${tag}; add it`,
    locked !== version && `package-lock.json has the version ${locked}, package.json ${version}; run npm install`,
    !changes.includes(`\n## [${version}]`) && `CHANGELOG.md has no section [${version}]; add it`,
    unreleased.trim() !== '' && 'CHANGELOG.md has unreleased changes; move them to a version',
  ].filter(Boolean);
}

function stop(reasons) {
  if (reasons.length === 0) return;
  for (const reason of reasons) console.error(`release: ${reason}`);
  process.exit(1);
}

const unknown = architectures.filter((name) => !(name in processors));
stop(unknown.map((name) => `found the architecture ${name}; expected ${Object.keys(processors).join(' or ')}`));
fs.mkdirSync(target, { recursive: true });
stop(fs.readdirSync(target).length > 0 ? [`${target} is not empty; name another folder with --out`] : []);
if (!draft) stop(problems());
const home = fs.mkdtempSync(join(tmpdir(), 'nodewright-release-'));
try {
  const archive = npmPackage();
  run(process.execPath, ['api/build/kit.mjs', archive, target]);
  const installations = architectures.map((name) => {
    const tree = join(home, name);
    const installed = join(tree, 'opt/nodewright');
    install(archive, installed, processors[name]);
    completeTree(tree, name);
    debianPackage(tree, name);
    return installed;
  });
  billOfMaterials((path) => installations.some((installed) => fs.existsSync(join(installed, path))));
  if (!draft) clients();
  checksums();
} finally {
  fs.rmSync(home, { recursive: true, force: true });
}
for (const name of fs.readdirSync(target)) console.log(join(target, name));
