/**
 * The requests of a workflow of five tasks to the services: commands of MongoDB's driver with the time of their
 * answers, commands as Redis sees them, messages as a listener on the broker receives them. On an idle engine, and with
 * 100 concurrent workflows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { hear } from './broker.ts';
import type { Figure, Line } from './figure.ts';
import { chainOf, openOurs } from './ours.ts';
import { round, STEPS } from './rounds.ts';
import { withServices } from './services.ts';

const IN_FLIGHT = 100;
const IDLE_RUNS = 50;
const BUSY_RUNS = 300;
/** History, events and the cleanup of rows follow the end of a workflow. */
const AFTERWARDS_MS = 3_000;

/** Counts requests by name, with the ms until their answers. */
class Tally {
  #trips = new Map<string, { count: number; ms: number }>();

  add(name: string, ms = 0): void {
    const trip = this.#trips.get(name) ?? { count: 0, ms: 0 };
    this.#trips.set(name, { count: trip.count + 1, ms: trip.ms + ms });
  }

  /** Returns lines per run; a request that occurs less than once in ten runs belongs to no workflow. */
  take(when: string, runs: number): Line[] {
    const trips = [...this.#trips].filter(([, { count }]) => count * 10 > runs).sort(([a], [b]) => (a < b ? -1 : 1));
    this.#trips = new Map();
    return trips.flatMap(([name, { count, ms }]) => [
      { name: `${when}: ${name}`, value: count / runs, unit: '/workflow' },
      ...(ms > 0 ? [{ name: `${when}: ${name}, each`, value: ms / count, unit: 'ms' }] : []),
    ]);
  }
}

export const servicesTrips: Figure = (place) =>
  withServices(async ({ config, redis }) => {
    const tally = new Tally();
    const unwatch = watchMongoDb(tally);
    const monitor = await redis.client().monitor();
    // Commands of a script inside Redis are not round trips.
    monitor.on('monitor', (_at, [command = ''], source) => {
      if (source !== 'lua') tally.add(`Redis ${command.toLowerCase()}`);
    });
    const hearing = await hear(config.amqp);
    hearing.listen(() => tally.add('RabbitMQ message'));
    const services = { ...config, mongodb: `${config.mongodb}?monitorCommands=true` };
    const ours = await openOurs(place.folder('services-trips'), IN_FLIGHT, services);
    const run = (lane: number) => ours.run(chainOf(STEPS), ours.nodes[lane] as string);
    const counted = async (when: string, runs: number, inFlight: number) => {
      await round({ run, clocks: {}, runs: runs / 2, inFlight });
      await sleep(AFTERWARDS_MS);
      tally.take(when, runs);
      await round({ run, clocks: {}, runs, inFlight });
      await sleep(AFTERWARDS_MS);
      return tally.take(when, runs);
    };
    try {
      return [...(await counted('idle', IDLE_RUNS, 1)), ...(await counted('busy', BUSY_RUNS, IN_FLIGHT))];
    } finally {
      await ours.close();
      await hearing.close();
      monitor.disconnect();
      unwatch();
    }
  });

interface Command {
  requestId: number;
  commandName: string;
  command: Record<string, unknown>;
  duration: number;
}

/** The engine has its own client, but its events pass through the class. @returns a function that stops watching */
function watchMongoDb(tally: Tally): () => void {
  const { prototype } = MongoClient;
  const { emit } = prototype;
  const names = new Map<number, string>();
  prototype.emit = function (this: MongoClient, event: string, ...args: unknown[]) {
    const { requestId, commandName, command, duration } = (args[0] ?? {}) as Command;
    if (event === 'commandStarted') names.set(requestId, `MongoDB ${commandName} ${command[commandName]}`);
    if (event === 'commandSucceeded') tally.add(names.get(requestId) ?? commandName, duration);
    if (event === 'commandSucceeded' || event === 'commandFailed') names.delete(requestId);
    return Reflect.apply(emit, this, [event, ...args]) as boolean;
  } as typeof emit;
  return () => {
    prototype.emit = emit;
  };
}
