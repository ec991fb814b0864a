/** The image, where Docker is available. */
import { spawnSync } from 'node:child_process';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { needing } from '../support/ava/needs.ts';

const docker = (...args: string[]) => spawnSync('docker', args, { cwd: packagePath('.'), encoding: 'utf8' });
const missing =
  docker('version', '--format', '{{.Server.Version}}').status === 0 ? undefined : 'Docker does not answer';
const IMAGE = 'nodewright:test';

needing(missing, 'docker').serial('the image is built, and its daemon starts on a read-only root', (t) => {
  const built = docker('build', '-t', IMAGE, '.');
  t.is(built.status, 0, built.stderr);
  t.teardown(() => docker('image', 'rm', IMAGE));
  const { status, stderr } = docker('run', '--rm', '--read-only', '--cap-drop', 'ALL', IMAGE, '--role', 'neither');
  t.is(status, 2, 'the exit code of wrong arguments');
  t.regex(stderr, /--role is "neither", expected one of api, worker, both/);
});
