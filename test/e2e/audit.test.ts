/** The audit log of real daemons: concurrent ones, killed ones, and without any, by the command. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import anyTest, { type ExecutionContext } from 'ava';
import type { AuditEntry } from '../../engine/api-port/index.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { type MongoDb, noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { noRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';

const withServices = needing(noRedis ?? noMongoDb);

let redis: RedisServer;
let mongodb: MongoDb;

anyTest.after.always(async () => {
  await redis?.stop();
  await mongodb?.stop();
});

const LOOK_MS = 100;
/** Between the changes of a client: a few of them are under way whenever the daemon is killed. */
const PACE_MS = 10;
/** Before each kill. */
const CHANGES = 20;
const NODE_BODY = { type: 'compute', name: 'n' };

async function entriesOf(daemon: DaemonProcess): Promise<AuditEntry[]> {
  const all: AuditEntry[] = [];
  for (;;) {
    const { body } = await daemon.api('GET', `/audit?limit=1000&after=${all.at(-1)?.seq ?? 0}`);
    if (body.length === 0) return all;
    all.push(...body);
  }
}

/** Makes changes until the daemon is gone. @returns the request ids of the answered ones */
async function changes(daemon: DaemonProcess, goesOn: () => boolean): Promise<string[]> {
  const answered: string[] = [];
  const client = async () => {
    while (goesOn()) {
      const answer = await daemon.api('POST', '/nodes', NODE_BODY).catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status === 201) answered.push(answer.headers.get('x-request-id') ?? '');
      await setTimeout(PACE_MS);
    }
  };
  await Promise.all([1, 2, 3, 4].map(client));
  return answered;
}

/** All entries are one chain, and each answered change has one. */
async function checkChain(t: ExecutionContext, daemon: DaemonProcess, answered: readonly string[]): Promise<number> {
  const entries = await entriesOf(daemon);
  t.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, at) => at + 1),
  );
  const ids = new Set(entries.map(({ requestId }) => requestId));
  t.deepEqual(
    answered.filter((id) => !ids.has(id)),
    [],
  );
  const { body } = await daemon.api('GET', '/audit/verify');
  t.deepEqual(body, { ok: true, checked: entries.length, brokenAt: null });
  return entries.length;
}

function command(env: NodeJS.ProcessEnv, ...args: string[]) {
  const program = packagePath('dist/nw.mjs');
  const { AMQP_URL: _, REDIS_URL: __, MONGODB_URL: ___, ...own } = process.env;
  const options = { env: { ...own, ...env }, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  return spawnSync(process.execPath, [program, ...args], options);
}

/** An export verifies. @returns its path */
function checkExported(t: ExecutionContext, env: NodeJS.ProcessEnv, count: number): string {
  const file = join(folder(t), 'audit.jsonl');
  const { status, stdout, stderr } = command(env, 'audit', 'export');
  t.is(status, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  t.is(lines.length, count);
  writeFileSync(file, stdout);
  const verified = command({}, 'audit', 'verify', file);
  t.is(verified.status, 0, verified.stderr);
  t.regex(verified.stdout, new RegExp(`unbroken: ${count} entries`));
  const [first, last] = [JSON.parse(lines[0] ?? ''), JSON.parse(lines.at(-1) ?? '')];
  t.true(verified.stdout.includes(`first 1:${first.hash}\nlast ${count}:${last.hash}\n`));
  const known = (seq: number, hash: string) => command({}, 'audit', 'verify', '--known', `${seq}:${hash}`, file);
  t.is(known(count, last.hash).status, 0);
  for (const [seq, hash] of [
    [count, first.hash],
    [count + 1, last.hash],
  ] as const)
    t.is(known(seq, hash).status, 1);
  t.is(command({}, 'audit', 'verify', '--known', 'x', file).status, 2);
  return file;
}

/** Tells the place of a change in an export, and accepts a page. */
function checkTampered(t: ExecutionContext, file: string): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(
    file,
    lines.map((line, at) => (at === 3 ? line.replace(/"status":\d+/, '"status":299') : line)).join('\n'),
  );
  const broken = command({}, 'audit', 'verify', file);
  t.is(broken.status, 1);
  t.regex(broken.stdout, /broken at entry 4, after 3 correct ones/);
  writeFileSync(file, JSON.stringify(lines.slice(2).map((line) => JSON.parse(line))));
  t.is(command({}, 'audit', 'verify', file).status, 0, 'a page of the API, from the middle');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nnonsense`);
  t.is(command({}, 'audit', 'verify', file).status, 1);
}

withServices.serial('two daemons append to one chain, also while one is killed', async (t) => {
  redis = await startRedis();
  mongodb = await openMongoDb();
  const env = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const victim = await startDaemonProcess(t, { env });
  const other = await startDaemonProcess(t, { env });
  const answered: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    let isOver = false;
    const all = [changes(victim, () => !isOver), changes(other, () => !isOver)];
    const target = answered.length + CHANGES;
    while ((await entriesOf(other)).length < target) await setTimeout(LOOK_MS);
    await victim.kill('SIGKILL');
    isOver = true;
    answered.push(...(await Promise.all(all)).flat());
    await checkChain(t, other, answered);
    await victim.start();
  }
  const count = await checkChain(t, victim, answered);
  t.true(answered.length > CHANGES);
  checkExported(t, env, count);
  const verified = command(env, 'audit', 'verify');
  t.is(verified.status, 0, verified.stderr);
});

anyTest.serial('an embedded daemon that is killed at any time leaves an unbroken chain', async (t) => {
  const dataDir = join(folder(t), 'data');
  const file = join(folder(t), 'config.json');
  writeFileSync(file, JSON.stringify({ dataDir }));
  const env = { NODEWRIGHT_CONFIG: file };
  t.is(command(env, 'audit', 'verify').status, 2, 'there is no store yet');
  const daemon = await startDaemonProcess(t, { config: { dataDir } });
  const answered: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const all = changes(daemon, () => true);
    const target = answered.length + CHANGES;
    while ((await entriesOf(daemon)).length < target) await setTimeout(LOOK_MS);
    await daemon.kill('SIGKILL');
    answered.push(...(await all));
    await daemon.start();
  }
  const count = await checkChain(t, daemon, answered);
  const locked = command(env, 'audit', 'verify');
  t.is(locked.status, 1);
  t.regex(locked.stderr, /held by/);
  await daemon.kill('SIGTERM');
  const verified = command(env, 'audit', 'verify');
  t.is(verified.status, 0, verified.stderr);
  checkTampered(t, checkExported(t, env, count));
});

anyTest.serial('entries are removed after their time, and the rest of the chain verifies', async (t) => {
  const daemon = await startDaemonProcess(t, { config: { auditRetentionDays: 2 / 86_400 }, users: 'new' });
  // The first of them may be gone before the first look.
  let entries: AuditEntry[] = [];
  do {
    await daemon.api('POST', '/nodes', NODE_BODY);
    entries = await entriesOf(daemon);
    await setTimeout(LOOK_MS);
  } while ((entries[0]?.seq ?? 0) < 5);
  const { body } = await daemon.api('GET', '/audit/verify');
  t.true(body.ok);
  t.true(body.checked > 0);
  await daemon.kill('SIGKILL');
  await daemon.start();
  await daemon.api('POST', '/nodes', NODE_BODY);
  t.true((await daemon.api('GET', '/audit/verify')).body.ok);
  t.true(((await entriesOf(daemon)).at(-1)?.seq ?? 0) > (entries.at(-1)?.seq ?? 0));
});
