/** The environment of a campaign: daemons on private services, or an embedded one; client, ledgers, listener. */

import { folder } from '../support/ava/folder.ts';
import type { Scope } from '../support/ava/scope.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { startDaemonProcess } from '../support/servers/daemon.ts';
import { listen } from '../support/servers/hearing.ts';
import { type PrivateMongoDb, startMongoDb } from '../support/servers/mongodb.ts';
import { type RabbitMq, startRabbitMq } from '../support/servers/rabbitmq.ts';
import { type RedisServer, startRedis } from '../support/servers/redis.ts';
import { Client } from './client.ts';
import { Events } from './events.ts';
import { Findings } from './findings.ts';
import { graphsIn, ledgers } from './kinds.ts';
import { Ledger } from './ledger.ts';
import { Member } from './member.ts';
import { listenToStream } from './stream.ts';

/** They die too. */
interface Services {
  redis: RedisServer;
  mongodb: PrivateMongoDb;
  rabbitmq: RabbitMq;
}

export interface Scene {
  members: readonly Member[];
  /** Absent: the daemon is embedded. */
  services: Services | undefined;
  client: Client;
  findings: Findings;
  events: Events;
  once: Ledger;
  again: Ledger;
}

const DAEMONS = 3;
const READY_MS = 30_000;

export async function openScene(scope: Scope, isEmbedded: boolean): Promise<Scene> {
  const services = isEmbedded ? undefined : await startServices(scope);
  const members: Member[] = [];
  const findings = new Findings(() => members.flatMap(({ log }) => log));
  const events = new Events(findings);
  if (services !== undefined) await listen(scope, services.rabbitmq.url, 'chaos', (heard) => events.add(heard));
  // In sequence: the first creates the user for all logins.
  for (let n = 1; n <= (isEmbedded ? 1 : DAEMONS); n += 1) {
    members.push(new Member(await startDaemonProcess(scope, { env: envOf(services), config: folders }), `daemon ${n}`));
  }
  if (isEmbedded) for (const { process } of members) listenToStream(scope, process, (heard) => events.add(heard));
  const client = new Client(members, findings);
  const home = folder(scope);
  for (const body of graphsIn(home)) {
    await client.insist({ method: 'PUT', path: '/workflows/graphs', body }, [201], READY_MS);
  }
  const { once, again } = ledgers(home);
  return { members, services, client, findings, events, once: new Ledger(once), again: new Ledger(again) };
}

async function startServices(scope: Scope): Promise<Services> {
  const own = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const server = await starting;
    scope.teardown(() => server.stop());
    return server;
  };
  const [redis, mongodb, rabbitmq] = await Promise.all([own(startRedis()), own(startMongoDb()), own(startRabbitMq())]);
  return { redis, mongodb, rabbitmq };
}

const envOf = (services: Services | undefined): NodeJS.ProcessEnv =>
  services === undefined
    ? {}
    : { REDIS_URL: services.redis.url, MONGODB_URL: services.mongodb.url, AMQP_URL: services.rabbitmq.url };
