import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { folder } from './support/ava/folder.ts';
import { redisProgram } from './support/servers/redis.ts';

/** Returns a folder of a PATH with these programs. */
function folderWith(t: ExecutionContext, ...programs: string[]): string {
  const path = folder(t);
  for (const program of programs) writeFileSync(join(path, program), '', { mode: 0o755 });
  return path;
}

test('tests use redis-server, or valkey-server if there is no redis-server', (t) => {
  const [valkey, both] = [folderWith(t, 'valkey-server'), folderWith(t, 'valkey-server', 'redis-server')];
  t.is(redisProgram({ PATH: valkey }), join(valkey, 'valkey-server'));
  t.is(redisProgram({ PATH: [valkey, both].join(delimiter) }), join(both, 'redis-server'));
  t.is(redisProgram({ PATH: folderWith(t) }), undefined);
});

test('the environment selects the server of tests', (t) => {
  const path = folderWith(t, 'valkey-server', 'redis-server');
  t.is(redisProgram({ PATH: path, NODEWRIGHT_TEST_REDIS: 'valkey-server' }), join(path, 'valkey-server'));
  t.is(redisProgram({ PATH: path, NODEWRIGHT_TEST_REDIS: '/elsewhere/valkey-server' }), '/elsewhere/valkey-server');
});
