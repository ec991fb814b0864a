/** The page of the demo, as it is written: what happens by itself, the commands of a newcomer, a kill, a second start. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { startDemoDaemon } from '../../api/cli/demo/demo-daemon.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { type DemoProcess, demoState, isDemoComplete, startDemo } from '../support/console/demo-process.ts';
import { seen } from '../support/faults/workload.ts';

const run = promisify(execFile);

const page = readFileSync(packagePath('docs/operate/demo.md'), 'utf8');
/** The commands of the page, without comments. */
const commands = [...page.matchAll(/^nw (\w.*?) *(?:#.*)?$/gm)].map(([, command = '']) => command.split(' '));

const nw = ({ url, token }: DemoProcess, args: readonly string[]) =>
  run(process.execPath, [packagePath('dist/nw.mjs'), ...args], {
    env: { ...process.env, NW_URL: url, NW_TOKEN: token },
    timeout: WAIT_MS,
  });

test.serial('two demos that start in the same moment have a daemon each', async (t) => {
  t.timeout(2 * WAIT_MS);
  const stop = new AbortController();
  const daemons = await Promise.all([1, 2].map(() => startDemoDaemon(folder(t), stop.signal)));
  t.teardown(() => Promise.all(daemons.map((daemon) => daemon.stop())));
  const [one, other] = daemons.map(({ url }) => url);
  t.not(one, other);
  const body = JSON.stringify({ username: 'demo', password: 'of-the-first-one', role: 'Administrator' });
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  t.is((await fetch(`${one}/api/current/users`, init)).status, 201);
  t.is((await fetch(`${other}/login`, init)).status, 401, 'it is another daemon');
});

test.serial('the demo shows what its page says, and a newcomer does it by the commands there', async (t) => {
  t.timeout(6 * WAIT_MS);
  const data = join(folder(t), 'demo-data');
  const demo = await startDemo(t, data);
  await seen(async () => isDemoComplete(await demoState(demo)), 3 * WAIT_MS);
  const before = await demoState(demo);
  const erased = before.workflowOf('r01s01')?.id ?? '';
  t.is((await demo.get<{ drives: object[] }>(`/workflows/${erased}/certificate`)).drives?.length ?? 1, 1);
  await seen(async () => {
    const why = await demo.get<{ waits: { waitingOn: string }[] }>(`/nodes/${before.nodes.get('r01s03')}/why`);
    return why.waits.some(({ waitingOn }) => waitingOn === 'bmc');
  });
  t.is(commands.length, 4, page);
  const outputs: string[] = [];
  for (const command of commands) outputs.push((await nw(demo, command)).stdout);
  t.regex(outputs[0] ?? '', /no answer/);
  t.is((await demoState(demo)).workflowOf('r01s04')?.status, 'succeeded');
  t.is((await demoState(demo)).workflowOf('r01s10')?.status, 'succeeded');
  // Its daemon ends with it, so the folder is free again.
  await demo.end('SIGKILL');
  const again = await startDemo(t, data);
  t.deepEqual([again.user, again.password], [demo.user, demo.password]);
  t.is((await demoState(again)).workflowOf('r01s01')?.id, erased, 'nothing is launched again');
  t.is(await again.end('SIGINT'), 0);
});
