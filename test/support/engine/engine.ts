/** The real engine on its embedded default, in its own folder, with the included graphs and the fixtures. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { NodeRecord } from '../../../engine/api-port/index.ts';
import type { WorkflowRow } from '../../../engine/durable/step/row.ts';
import { createEngine, type RunningEngine, readConfig } from '../../../engine/index.ts';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import type { EventPayload, Publication } from '../../../engine/vocabulary/event.ts';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { deferred } from '../ava/deferred.ts';
import { WAIT_MS } from '../ava/patience.ts';
import { folders } from './definition-folders.ts';
import { putStarted } from './started-folder.ts';

const POLL_MS = 20;

export class TestEngine {
  readonly dataDir: string;
  readonly events: Publication[] = [];
  engine!: RunningEngine;
  #config: ConfigFile;
  readonly #waiting = new Set<() => void>();
  #nodes = 0;

  constructor(dataDir: string, config: ConfigFile) {
    this.dataDir = dataDir;
    this.#config = config;
  }

  async open(): Promise<this> {
    const config = { ...folders, dataDir: this.dataDir, log: { level: 'silent' as const }, ...this.#config };
    this.engine = await createEngine(readConfig({}, this.dataDir, config), pino({ level: 'silent' }));
    await this.engine.start();
    this.engine.listen((publication) => {
      this.events.push(publication);
      for (const look of this.#waiting) look();
    });
    return this;
  }

  /** @param config more of it */
  async restart(config: ConfigFile): Promise<void> {
    await this.engine.close();
    this.#config = { ...this.#config, ...config };
    await this.open();
  }

  /** Resolves when the condition is true; it is evaluated after every publication. */
  async until(holds: () => boolean | Promise<boolean>, limitMs = WAIT_MS): Promise<void> {
    const { promise, resolve, reject } = deferred();
    // Made here, so that its stack names the caller.
    const late = new Error(`the condition was not met within ${limitMs} ms`);
    const timer = setTimeout(() => reject(late), limitMs);
    const look = () => void Promise.resolve(holds()).then((held) => held && resolve(), reject);
    this.#waiting.add(look);
    // Side effects of activities cause no event.
    const poll = setInterval(look, POLL_MS);
    look();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      clearInterval(poll);
      this.#waiting.delete(look);
    }
  }

  async node(): Promise<NodeRecord> {
    this.#nodes += 1;
    return this.engine.nodes.create({ type: 'compute', name: `node ${this.#nodes}` });
  }

  launch(name: string, options: Record<string, unknown> = {}, nodeId: string | null = null): Promise<WorkflowRow> {
    return this.engine.launches.launch({ name, options, nodeId });
  }

  async get(id: string): Promise<WorkflowRow> {
    return (await this.engine.workflows.get(id)) as WorkflowRow;
  }

  async finished(id: string, limitMs = WAIT_MS): Promise<WorkflowRow> {
    await this.until(async () => !isActive((await this.get(id)).status), limitMs);
    return this.get(id);
  }

  /** Resolves when the label is in that state. */
  async reached(id: string, label: string, state: string): Promise<WorkflowRow> {
    await this.until(async () => (await this.states(id))[label] === state);
    return this.get(id);
  }

  async states(id: string): Promise<Record<string, string>> {
    return Object.fromEntries((await this.get(id)).tasks.map(({ label, state }) => [label, state]));
  }

  /** @param action absent: all */
  of(id: string, action?: string): EventPayload[] {
    const bodies = this.events.map(({ body }) => body as EventPayload);
    return bodies.filter((event) => event.typeId === id && (action === undefined || event.action === action));
  }

  path(name: string): string {
    return join(this.dataDir, name);
  }

  async lines(name: string): Promise<string[]> {
    const text = await readFile(this.path(name), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  async close(): Promise<void> {
    await this.engine.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

export async function openEngine(config: ConfigFile = {}): Promise<TestEngine> {
  return new TestEngine(await newDataDir(), config).open();
}

/** Creates the data folder of an engine that has already started. */
export async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nodewright-engine-'));
  await putStarted(dataDir);
  return dataDir;
}
