/**
 * A world of daemons in this process, under virtual time: they share documents, rows, queues, a broker and membership in
 * memory, and can die at each of their calls. The library and the files are those of this machine, read once before time is
 * virtual.
 */
import { pino } from 'pino';
import { Metrics } from '../durable/telemetry/metrics.ts';
import type { CodeWatch } from '../durable/watchdog/watchdog.ts';
import { type Epoch, localEpoch } from '../platform/cluster/epoch.ts';
import { readConfig } from '../platform/config/config.ts';
import type { ConfigFile } from '../platform/config/config-schema.ts';
import type { SeededRandom } from '../platform/lib/seeded-random.ts';
import type { KeyName, KeyRing } from '../platform/secrets/key-ring.ts';
import { DefinitionRequests } from '../workflows/requests/definition-requests.ts';
import type { OpenDefinitions } from './definitions.ts';
import { createEngine, type RunningEngine } from './engine.ts';
import type { EngineOutside } from './engine-outside.ts';
import { Link, type LinkFailures } from './virtual/daemon-link.ts';
import { MemoryBroker } from './virtual/memory-broker.ts';
import { MemoryCluster } from './virtual/memory-cluster.ts';
import { MemoryRows } from './virtual/memory-live.ts';
import { MemoryQueues, type QueueLosses } from './virtual/memory-queues.ts';
import { MemoryDocuments } from './virtual/memory-store.ts';
import { MemoryTail } from './virtual/memory-tail.ts';
import type { VirtualTime } from './virtual/virtual-time.ts';

export interface WorldScene {
  time: VirtualTime;
  random: SeededRandom;
  faults: LinkFailures & QueueLosses;
  /** The definitions of all daemons, loaded. */
  definitions: OpenDefinitions;
  dataDir: string;
  config: ConfigFile;
  called(daemon: string, what: string): void;
}

/** One run of a daemon, from its start to its death. */
export interface WorldDaemon {
  readonly id: string;
  readonly link: Link;
  readonly engine: RunningEngine;
}

export class VirtualWorld {
  readonly documents = new MemoryDocuments();
  readonly rows = new MemoryRows();
  readonly tail = new MemoryTail();
  readonly broker: MemoryBroker;
  readonly #queues: MemoryQueues;
  readonly #cluster: MemoryCluster;
  readonly #scene: WorldScene;
  readonly #keys = new Map<KeyName, KeyRing>();
  readonly #epoch: Epoch = localEpoch();

  constructor(scene: WorldScene) {
    const { time, random, faults } = scene;
    this.#scene = scene;
    this.#queues = new MemoryQueues(time, random, faults);
    this.#cluster = new MemoryCluster(time);
    this.broker = new MemoryBroker();
  }

  /**
   * Opens an engine and starts it. Call it as the daemon, so that its timers are its own.
   * @param id a new one for each run @param previous the id of the run before, which is dead
   * @param opened called before the start, when the engine answers requests
   * @returns the daemon, started
   */
  async start(
    id: string,
    previous: string | undefined,
    opened: (daemon: WorldDaemon) => void,
    link: Link,
  ): Promise<WorldDaemon> {
    const { dataDir, config } = this.#scene;
    const settings = readConfig({}, dataDir, { ...config, dataDir, log: { level: 'silent' } });
    const engine = await createEngine(settings, pino({ level: 'silent' }), () => {}, this.#outside(id, link, previous));
    const daemon = { id, link, engine };
    opened(daemon);
    await engine.start();
    return daemon;
  }

  /** May be changed at any time. */
  get faults(): WorldScene['faults'] {
    return this.#scene.faults;
  }

  link(id: string): Link {
    const { time, random, faults, called } = this.#scene;
    return new Link(id, { time, random, faults, called });
  }

  /** The daemon dies: nothing of it is left but what arrives late. */
  kill(link: Link): void {
    link.cut();
    this.#queues.forget(link);
    this.#cluster.markUnheard(link.daemon);
  }

  /** The daemon is cut off: its calls fail, and its heartbeats are missing. */
  separate(link: Link): void {
    link.isAway = true;
    this.#cluster.markUnheard(link.daemon);
  }

  /** The daemon sends no heartbeats; what it calls arrives. */
  silence(link: Link): void {
    this.#cluster.markUnheard(link.daemon);
  }

  unsilence(link: Link): void {
    this.#cluster.markHeard(link.daemon);
  }

  rejoin(link: Link): void {
    link.isAway = false;
    this.#cluster.markHeard(link.daemon);
  }

  #outside(id: string, link: Link, previous: string | undefined): EngineOutside {
    const { definitions, random } = this.#scene;
    return {
      adapters: async () => ({
        store: this.documents.through(link),
        queues: this.#queues.through(link),
        live: this.rows.through(link),
        cluster: this.#cluster.through(id, link, previous),
        epoch: this.#epoch,
        eventTail: () => this.tail.through(link),
        keys: async (name) => {
          const ring = this.#keys.get(name) ?? [random.bytes(32).toString('base64url')];
          this.#keys.set(name, ring);
          return ring;
        },
        close: async () => {},
      }),
      broker: async () => this.broker.through(link),
      watchdog: () => idleWatch(),
      metrics: () => new Metrics(undefined, false),
      definitions: async ({ queues, vault, starting }) => {
        const library = Object.create(definitions.library, {
          load: { value: async () => {} },
          stop: { value: () => {} },
          close: { value: async () => {} },
          sweep: { value: async () => {} },
        }) as OpenDefinitions['library'];
        const requests = new DefinitionRequests(library, vault, queues.channel('definitions'), () =>
          starting.definitions(),
        );
        return { bytes: { ...definitions.bytes, prune: async () => {} }, library, definitions: requests };
      },
      localPasswords: async () => ({ close: async () => {} }),
    };
  }
}

/** Code of the library is trusted here: it cannot block another process. */
const idleWatch = (): CodeWatch => ({
  bars: () => undefined,
  evidence: undefined,
  watch: (_, code) => code(),
  clear: () => {},
  close: async () => {},
});
