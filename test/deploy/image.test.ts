/** The image: built by Docker where its engine answers, otherwise by Buildah, on a base that the test makes. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { folderOf } from '../versions.mjs';

const MINUTES = 60_000;
const WRONG = ['--role', 'neither'];
const run = promisify(execFile);
const here = { cwd: packagePath('.'), timeout: 15 * MINUTES, maxBuffer: 16 * 1024 * 1024 };

const isThere = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const hasDocker = isThere('docker', 'version', '--format', '{{.Server.Version}}');
const node24 = folderOf('24');
/** `npm` that runs this test, or that of the system. */
const npm = [process.env.npm_execpath ?? '', '/usr/lib/node_modules/npm/bin/npm-cli.js']
  .filter((file) => file.endsWith('/npm-cli.js') && existsSync(file))
  .map((file) => dirname(dirname(file)))[0];
const canBuild = process.getuid?.() === 0 && isThere('buildah', '--version') && isThere('debootstrap', '--version');
const missing =
  hasDocker || (canBuild && node24 !== undefined && npm !== undefined)
    ? undefined
    : 'neither Docker nor root with Buildah, debootstrap and Node.js 24 is here';

interface Image {
  User: string;
  Env: string[];
  Entrypoint: string[];
  WorkingDir: string;
  Healthcheck: { Test: string[] };
}

needing(missing, 'image').serial('the image is built, and its daemon works on a read-only root', async (t) => {
  t.timeout(30 * MINUTES);
  await (hasDocker ? onDocker(t) : onBuildah(t));
});

async function onDocker(t: ExecutionContext) {
  const image = 'nodewright:test';
  await run('docker', ['build', '-t', image, '.'], here);
  t.teardown(() => isThere('docker', 'image', 'rm', image));
  const started = ['run', '--rm', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', image];
  rejectsRole(t, await run('docker', [...started, ...WRONG], here).catch((error) => error));
}

async function onBuildah(t: ExecutionContext) {
  const store = folder(t);
  const image = (...args: string[]) => run(packagePath('test/support/servers/image.sh'), [store, ...args], here);
  await image('base', join(node24 as string, 'node'), npm as string);
  await image('build');
  const { Docker } = JSON.parse((await image('inspect')).stdout) as { Docker: { config: Image } };
  const { User, Env, Entrypoint, WorkingDir, Healthcheck } = Docker.config;
  const [, ...check] = Healthcheck.Test;
  const [user = ''] = User.split(':');
  const enter = (...args: string[]) => image('enter', user, 'env', '-i', '-C', WorkingDir, ...Env, ...args);
  const healthy = `
    "\${@:${check.length + 1}}" >/tmp/log &
    until grep '"msg":"ready"' /tmp/log; do kill -0 $! || { cat /tmp/log >&2; exit 1; }; sleep 0.1; done
    "\${@:1:${check.length}}"`;
  t.regex((await enter('bash', '-ec', healthy, 'bash', ...check, ...Entrypoint)).stdout, /ready/);
  rejectsRole(t, await enter(...Entrypoint, ...WRONG).catch((error) => error));
}

function rejectsRole(t: ExecutionContext, { code, stderr }: { code?: number; stderr: string }) {
  t.is(code, 2, 'the exit code of wrong arguments');
  t.regex(stderr, /--role is "neither", expected one of api, worker, both/);
}
