/** The log of two daemons: one line for the end of each workflow, whichever daemon saved it. */

import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended, launch, seen } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noServices, sharedServices } from '../support/servers/services.ts';

const test = needing(noServices);

const services = sharedServices();

interface EndLine {
  level: number;
  workflow: string;
  graph: string;
  status: string;
  user: string | null;
  code?: string;
}

const endsIn = (daemons: readonly DaemonProcess[]): EndLine[] =>
  daemons
    .flatMap(({ log }) => log)
    .filter((line) => line.includes('"workflow ended"'))
    .map((line) => JSON.parse(line));

test.serial('each end of a workflow has one line in all logs together', async (t) => {
  const env = await services();
  const daemons: DaemonProcess[] = [];
  for (let n = 0; n < 2; n += 1) daemons.push(await startDaemonProcess(t, { env, config: { ...folders } }));
  const [one, other] = daemons as [DaemonProcess, DaemonProcess];
  const fail = {
    friendlyName: 'Fail',
    injectableName: 'Graph.Log.Fail',
    tasks: [{ label: 'fail', taskName: 'Task.Fixture.Fail' }],
  };
  t.is((await one.api('PUT', '/workflows/graphs', fail)).status, 201);
  const launches = Array.from({ length: 20 }, (_, n) => launch(n % 2 ? one : other, 'Graph.noop-example'));
  const succeeded = await Promise.all(launches);
  const failed = await launch(other, 'Graph.Log.Fail');
  const { body: node } = await one.api('POST', '/nodes', { type: 'compute', name: 'n' });
  const { body: waiting } = await one.api('POST', `/nodes/${node.id}/workflows?name=Graph.Demo.InstallOs`, {});
  await other.api('PUT', `/workflows/${waiting.id}/action`, { command: 'cancel' });
  const expected: [string, string][] = [
    ...succeeded.map((id): [string, string] => [id, 'succeeded']),
    [failed, 'failed'],
    [waiting.id, 'cancelled'],
  ];
  for (const [id, status] of expected) t.is((await ended(one, id)).status, status);
  await seen(async () => endsIn(daemons).length >= expected.length);
  // Lines after these are of requests that come after the ends.
  const marks = await Promise.all(daemons.map(({ api }) => api('GET', '/nodes/none')));
  await seen(async () =>
    marks.every(({ headers }, n) => daemons[n]?.log.some((line) => line.includes(headers.get('x-request-id') ?? '?'))),
  );
  const lines = endsIn(daemons);
  const order = (one: readonly string[], other: readonly string[]) => (`${one}` < `${other}` ? -1 : 1);
  t.deepEqual(lines.map(({ workflow, status }) => [workflow, status]).sort(order), expected.sort(order));
  for (const { level, status, user } of lines) {
    t.is(level, status === 'failed' ? 40 : 30);
    t.is(user, 'tester');
  }
  t.truthy(lines.find(({ status }) => status === 'failed')?.code);
});
