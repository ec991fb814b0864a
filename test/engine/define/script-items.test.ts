/** Commands of RackHD's shape, run by a shell. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import test from 'ava';
import { commandOfScript } from '../../../engine/define/script-items.ts';

const run = promisify(execFile);

test('a fetched file is executable, with a command and without', async (t) => {
  const server = createServer((_, response) => response.end('#!/bin/sh\necho "ran $1"\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const downloadUrl = `http://127.0.0.1:${port}/set_credentials.sh`;
  const printed = async (command?: string) => {
    const item = { downloadUrl, ...(command !== undefined && { command }) };
    return (await run('sh', ['-c', commandOfScript(item, 10, false).command])).stdout;
  };
  t.is(await printed('./set_credentials.sh with'), 'ran with\n');
  t.is(await printed(), 'ran \n');
});
