/** The image: built by Docker where its engine answers, otherwise by Buildah. */
import { existsSync, readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { drawn } from '../drawn.mjs';
import { needing } from '../support/ava/needs.ts';
import { building, builtImage, isThere, missingBuilder, runProgram } from '../support/source/built-image.ts';

const hasDocker = isThere('docker', 'version', '--format', '{{.Server.Version}}');
const WRONG = ['--role', 'neither'];

test('the Dockerfile copies files that its context has, and starts the program that the build makes', (t) => {
  const text = readFileSync(packagePath('Dockerfile'), 'utf8');
  const ignored = readFileSync(packagePath('.dockerignore'), 'utf8').split('\n');
  const copied = [...text.matchAll(/^COPY (?!--from)(\S+)/gm)].map(([, path = '']) => path);
  t.deepEqual(copied, ['.', 'fixtures/deploy/container.json']);
  for (const path of copied) t.true(existsSync(packagePath(path)), path);
  for (const path of ['api', 'engine', 'graphs', 'tasks', 'fixtures/deploy', 'package-lock.json', '.npmrc']) {
    t.false(ignored.includes(path), path);
  }
  for (const path of ['node_modules', '.git', 'data', 'config.json', 'fixtures/deploy/secrets']) {
    t.true(ignored.includes(path), path);
  }
  const start = /"(\/opt\/nodewright\/(\S+daemon\.mjs))"/.exec(text)?.[2] ?? '';
  t.true(existsSync(packagePath(start)));
  const unit = readFileSync(packagePath('fixtures/deploy/systemd/nodewright.service'), 'utf8');
  t.true(unit.includes(`/opt/nodewright/${start}\n`));
});

// It takes as long as a hundred other tests, so one run in four of CI has it.
for (const builder of drawn([hasDocker ? onDocker : onBuildah, null, null, null], 1 / 4)) {
  if (builder === null) continue;
  needing(hasDocker ? undefined : missingBuilder, 'image').serial(
    'the image is built, and its daemon starts',
    async (t) => {
      t.timeout(30 * 60_000);
      await builder(t);
    },
  );
}

async function onDocker(t: ExecutionContext) {
  const image = 'nodewright:test';
  await runProgram('docker', ['build', '-t', image, '.'], building);
  t.teardown(() => void isThere('docker', 'image', 'rm', image));
  const start = ['run', '--rm', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', image];
  rejectsRole(t, await runProgram('docker', [...start, ...WRONG], building).catch((error) => error));
}

/** On a read-only root, without capabilities, up to the health check. */
async function onBuildah(t: ExecutionContext) {
  const { Entrypoint, Healthcheck, run } = await builtImage(t);
  const [, ...check] = Healthcheck.Test;
  const start = `
    "\${@:${check.length + 1}}" >/tmp/log &
    until grep '"msg":"ready"' /tmp/log; do kill -0 $! || { cat /tmp/log >&2; exit 1; }; sleep 0.1; done
    "\${@:1:${check.length}}"`;
  t.regex((await run('bash', '-ec', start, 'bash', ...check, ...Entrypoint)).stdout, /ready/);
  rejectsRole(t, await run(...Entrypoint, ...WRONG).catch((error) => error));
}

function rejectsRole(t: ExecutionContext, { code, stderr }: { code?: number; stderr: string }) {
  t.is(code, 2, 'the exit code of wrong arguments');
  t.regex(stderr, /--role is "neither", expected one of api, worker, both/);
}
