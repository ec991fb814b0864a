/** Three daemons, stopped and started again in turn, while clients keep launching at all of them. */
import { join } from 'node:path';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { allSucceed, Clients, chain, checkAnswers, idsOf, launch, noneTwice } from '../support/faults/workload.ts';
import type { Answer } from '../support/servers/api.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import { noFleet, startFleet } from '../support/servers/fleet.ts';
import { listenOn, wronglyTold } from '../support/servers/hearing.ts';

const test = needing(noFleet, 'mongodb');
const STOP_MS = 10_000;

test.serial(
  'a restart of daemons in turn under load loses no launch that was answered 2xx, and repeats none',
  async (t) => {
    const fleet = await startFleet(t, 3);
    const [first] = fleet.daemons as [DaemonProcess];
    const hearing = await listenOn(t, fleet.rabbitmq.url);
    const ledger = join(folder(t), 'once');
    t.is(
      (await first.api('PUT', '/workflows/graphs', chain('Graph.Once', 'Task.Fixture.WriteOnce', ledger, 300))).status,
      201,
    );
    for (const daemon of fleet.daemons) await launch(daemon, 'Graph.Once');

    const asks = fleet.daemons.map((daemon, n) => [`launch at ${n}`, () => answered(daemon)] as const);
    const clients = new Clients(Object.fromEntries(asks));
    for (const daemon of fleet.daemons) {
      const asked = performance.now();
      t.is(await daemon.kill('SIGTERM'), 0);
      t.true(performance.now() - asked < STOP_MS);
      await daemon.start();
    }
    const answers = (await clients.stop()).filter(({ status }) => status !== NONE);
    t.true(checkAnswers(t, answers, [201]).includes(201));
    const ids = idsOf(answers);
    await allSucceed(t, first, ids);
    await noneTwice(t, ledger);
    await hearing.until((heard) => wronglyTold(heard, ids).length === 0);
  },
);

const NONE = 0;

/** Connections are rejected while a daemon restarts; an unanswered launch may be lost. */
const answered = (daemon: DaemonProcess): Promise<Answer> =>
  daemon
    .api('POST', '/workflows?name=Graph.Once', {})
    .catch(() => ({ status: NONE, headers: new Headers(), body: '' }));
