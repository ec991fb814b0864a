/** Captures of consoles: one at a time over all processes, with lines in order, no silent gap, and no secret. */
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Captures, type ConsoleChange } from '../../../../engine/inventory/consoles/captures.ts';
import { ConsoleLog } from '../../../../engine/inventory/consoles/console-log.ts';
import { ConsoleRequests } from '../../../../engine/inventory/consoles/console-requests.ts';
import {
  consoleLinesSpec,
  consoleSpec,
  type StoredConsole,
  type StoredLines,
} from '../../../../engine/inventory/consoles/stored-console.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import { cipherOf } from '../../../../engine/platform/secrets/secrets.ts';
import { Vault } from '../../../../engine/platform/secrets/vault.ts';
import type { Store } from '../../../../engine/platform/store/port.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { MachinePort } from '../../../support/bmcs/machine-port.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { Life } from '../../../support/faults/dying-store.ts';

const NODE = 'n1';
const UNTIL_LOOK_MS = 20;
const KEPT = 250;
const PASSWORD = 'calvin-and-hobbes';

/** A machine, its BMC, and processes on one store. */
class World {
  readonly port = new MachinePort();
  readonly store = new MemoryStore();
  readonly #t: ExecutionContext;
  readonly #dead = new Set<string>();
  readonly #channel = localChannels(() => {}).channel<ConsoleChange>('consoles');
  readonly #cipher = cipherOf(['secret'], 'console inputs');
  readonly #obms = {
    serial: async (_: string, __: unknown, note: (secret: string) => void) => {
      note(PASSWORD);
      return this.port;
    },
  };

  constructor(t: ExecutionContext) {
    this.#t = t;
  }

  async #shared(store: Store) {
    return {
      stored: await store.collection<StoredConsole>(consoleSpec),
      log: new ConsoleLog(await store.collection<StoredLines>(consoleLinesSpec), KEPT),
      channel: this.#channel,
      obms: this.#obms,
      cipher: this.#cipher,
    };
  }

  async requests(): Promise<ConsoleRequests> {
    const shared = await this.#shared(this.store);
    const cluster = { isHeard: async (id: string) => !this.#dead.has(id) };
    return new ConsoleRequests({ ...shared, cluster, unlessRemoved: async () => {} });
  }

  /** @param life ends it */
  async process(id: string, life?: Life): Promise<Captures> {
    const shared = await this.#shared(life === undefined ? this.store : life.store(this.store));
    const cluster = { id, isHeard: async (other: string) => !this.#dead.has(other) };
    const captures = new Captures({ ...shared, cluster, vault: new Vault(['secret']), failed: () => {} });
    this.#t.teardown(() => captures.close());
    await captures.start();
    return captures;
  }

  bury(id: string): void {
    this.#dead.add(id);
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + WAIT_MS; !(await holds()); await setTimeout(UNTIL_LOOK_MS))
    if (Date.now() > limit) throw new Error('waited too long');
}

const textsOf = async (requests: ConsoleRequests): Promise<string[]> =>
  (await requests.log(NODE, 0, 1_000)).map(({ text, kind }) => (kind === 'note' ? `note ${text}` : text));

const isConnected = async (requests: ConsoleRequests) => (await requests.get(NODE)).state === 'connected';

test('a console is switched on and read without secrets; switched off, its log stays, and its numbers continue', async (t) => {
  const world = new World(t);
  const requests = await world.requests();
  await world.process('a');
  t.like(await requests.get(NODE), { source: null, state: 'off', lines: 0, seq: 0 });
  t.like(await requests.switchOn(NODE, { source: 'ipmi' }), { source: 'ipmi', error: null });
  await until(() => isConnected(requests));
  world.port.write(`user root password=hunter2 or ${PASSWORD}\r\nlogin: `);
  await until(async () => (await requests.get(NODE)).seq === 2);
  t.deepEqual(await textsOf(requests), ['user root password=REDACTED or REDACTED', 'login:']);
  await requests.switchOff(NODE);
  await until(() => !world.port.isHeld);
  t.like(await requests.get(NODE), { source: null, state: 'off', lines: 2, seq: 2 });
  await requests.switchOn(NODE, { source: 'redfish' });
  await until(() => isConnected(requests));
  world.port.write('again\n');
  await until(async () => (await requests.get(NODE)).seq === 4);
  t.regex((await textsOf(requests))[2] ?? '', /^note the console was not read from \S+Z to \S+Z$/);
  t.deepEqual(
    (await requests.log(NODE, 3, 10)).map(({ seq, text }) => ({ seq, text })),
    [{ seq: 4, text: 'again' }],
  );
});

test('of two processes one captures; the other continues when it has given the console back', async (t) => {
  const world = new World(t);
  const requests = await world.requests();
  await requests.switchOn(NODE, { source: 'ipmi' });
  const [a, b] = await Promise.all([world.process('a'), world.process('b')]);
  await until(() => isConnected(requests));
  t.is(world.port.openings, 1);
  const stored = await (await world.store.collection<StoredConsole>(consoleSpec)).get(NODE);
  await (stored?.by?.startsWith('a ') ? a : b).close();
  await until(() => world.port.openings === 2);
  await until(() => isConnected(requests));
  t.pass();
});

test('a session that is lost is opened again, and the log says from when to when nothing was read', async (t) => {
  const world = new World(t);
  const requests = await world.requests();
  await world.process('a');
  await requests.switchOn(NODE, { source: 'ipmi' });
  await until(() => isConnected(requests));
  world.port.write('one\n');
  world.port.cut();
  await until(async () => (await requests.get(NODE)).state === 'connecting');
  t.is((await requests.get(NODE)).error, 'the BMC does not answer');
  await until(() => isConnected(requests));
  world.port.write('two\n');
  await until(async () => (await requests.get(NODE)).seq === 3);
  const [one, gap, two] = await textsOf(requests);
  t.deepEqual([one, gap?.slice(0, 31), two], ['one', 'note the console was not read f', 'two']);
});

test("the port of another program's session is not taken; the state says who has it", async (t) => {
  const world = new World(t);
  const requests = await world.requests();
  const other = new AbortController();
  world.port.open({ connected: () => {}, data: () => {} }, other.signal);
  await world.process('a');
  await requests.switchOn(NODE, { source: 'ipmi' });
  await until(async () => (await requests.get(NODE)).error !== null);
  t.like(await requests.get(NODE), { state: 'connecting', error: 'another session owns the serial console' });
  const error = await t.throwsAsync(requests.type(NODE, 'x'), { code: 'CONSOLE_UNCONNECTED' } as object);
  t.regex(error?.message ?? '', /is connecting \(another session owns/);
  other.abort();
  await until(() => isConnected(requests));
  t.is(world.port.openings, 2);
});

test('an input is typed once, however often the capture looks', async (t) => {
  const world = new World(t);
  const requests = await world.requests();
  await world.process('a');
  await requests.switchOn(NODE, { source: 'ipmi' });
  await until(() => isConnected(requests));
  for (const text of ['reboot\r', 'y\r']) await requests.type(NODE, text);
  await until(() => world.port.typed.endsWith('y\r'));
  await Promise.all(Array.from({ length: 10 }, () => requests.switchOn(NODE, { source: 'ipmi' })));
  t.is(world.port.typed, 'reboot\ry\r');
});

test('a machine that writes without end fills no log, and a note says how many were dropped', async (t) => {
  const world = new World(t);
  const requests = await world.requests();
  await world.process('a');
  await requests.switchOn(NODE, { source: 'ipmi' });
  await until(() => isConnected(requests));
  world.port.write('flood\n'.repeat(50_000));
  await until(async () => (await textsOf(requests)).some((text) => /^note \d+ lines were dropped/.test(text)));
  const { lines } = await requests.get(NODE);
  t.true(lines <= KEPT + 100, `${lines}`);
});

const STORE_CALLS = 24;

for (const moment of ['before', 'after'] as const) {
  test(`killed ${moment} any call of the store, the next process continues the numbers, each line once, and the gap is said`, async (t) => {
    const deaths = Array.from({ length: STORE_CALLS }, async (_, calls) => {
      const world = new World(t);
      const requests = await world.requests();
      const life = new Life();
      await requests.switchOn(NODE, { source: 'ipmi' });
      life.dieAfter(calls, moment);
      await world.process('a', life);
      await until(() => life.isDead || world.port.isHeld);
      world.port.write('a1\na2\n');
      await until(async () => life.isDead || (await requests.get(NODE)).seq === 2);
      world.port.write('a3\n');
      await until(async () => life.isDead || (await requests.get(NODE)).seq === 3);
      life.dieAfter(-1, moment);
      world.bury('a');
      await world.process('b');
      await until(() => isConnected(requests));
      world.port.write('b1\nb2\n');
      await until(async () => (await textsOf(requests)).at(-1) === 'b2');
      const lines = await requests.log(NODE, 0, 1_000);
      t.deepEqual(
        lines.map(({ seq }) => seq),
        lines.map((_line, index) => index + 1),
      );
      const texts = await textsOf(requests);
      const read = texts.slice(0, -2).filter((text) => text.startsWith('a'));
      t.deepEqual(read, ['a1', 'a2', 'a3'].slice(0, read.length), `${calls}`);
      if (read.length > 0) t.true(texts.at(-3)?.startsWith('note the console was not read from'), texts.join('|'));
    });
    await Promise.all(deaths);
  });
}
