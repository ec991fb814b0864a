/** One story: the machine is discovered by a virtual daemon, then the graph is launched on its node, and the faults begin. */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { memoryDefinitions } from '../../engine/assembly/memory-definitions.ts';
import type { MemoryNetwork } from '../../engine/assembly/virtual/memory-network.ts';
import { inDaemon, inVirtualProcess } from '../../engine/assembly/virtual/virtual-process.ts';
import type { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import { VirtualWorld, type WorldDaemon } from '../../engine/assembly/virtual-world.ts';
import type { FaultPlan } from '../../engine/hardware/twin/faults/fault.ts';
import type { Model } from '../../engine/hardware/twin/machine/model.ts';
import type { Graph, Task } from '../../engine/library/types.ts';
import { SeededRandom } from '../../engine/platform/lib/seeded-random.ts';
import { undici } from '../../engine/platform/lib/undici.ts';
import { eventIn } from '../../engine/vocabulary/event.ts';
import { HOUR_MS } from '../../engine/vocabulary/units.ts';
import { createApp } from '../endpoint/app.ts';
import { StoryLines } from './story-lines.ts';
import { obmOfMachine, StoryMachine } from './story-machine.ts';
import type { Story } from './story-record.ts';
import { storyViolations } from './story-violations.ts';

const BEGIN = Date.UTC(2026, 0, 1);
const [HOST, SOUTH_PORT, NORTH_PORT] = ['127.0.0.1', 9_080, 8_080];
const SOUTH = `http://${HOST}:${SOUTH_PORT}`;
const DAEMON = 'daemon';
const DISCOVERY_MS = 2 * HOUR_MS;
/** The longest default timeout of a task is 24 hours. */
const STORY_HOURS = 25;
/** The consequences of the end of a workflow are over by then. */
const REST_MS = 5_000;
const silent = pino({ level: 'silent' });

export interface StoryPlan {
  graph: Graph;
  /** The included tasks, by name. */
  tasks: ReadonlyMap<string, Task>;
  options: Record<string, object>;
  seed: number;
  /** The faults, as lines. */
  lines: readonly string[];
  faults: FaultPlan;
  model: Model;
}

export async function runStory(plan: StoryPlan): Promise<Story> {
  const definitions = await memoryDefinitions(plan.graph);
  // Loading it takes real time.
  await undici();
  const dataDir = mkdtempSync(join(tmpdir(), 'nodewright-story-'));
  try {
    return await inVirtualProcess(BEGIN, new SeededRandom(`${plan.seed} identity`), ({ time, network }) => {
      const world = new VirtualWorld({
        time,
        random: new SeededRandom(`${plan.seed} world`),
        faults: { slow: 0, slowMs: 0, lost: 0, full: 0 },
        definitions,
        dataDir,
        config: {
          heartbeatIntervalSec: 0,
          httpEndpoints: [
            { port: NORTH_PORT, routers: 'northbound-api-router' },
            { port: SOUTH_PORT, routers: 'southbound-api-router' },
          ],
        },
        called: () => {},
      });
      return new StoryRun(plan, time, network, world).run();
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class StoryRun {
  readonly #plan: StoryPlan;
  readonly #time: VirtualTime;
  readonly #network: MemoryNetwork;
  readonly #world: VirtualWorld;
  readonly #lines: StoryLines;
  readonly #closing = new AbortController();

  constructor(plan: StoryPlan, time: VirtualTime, network: MemoryNetwork, world: VirtualWorld) {
    this.#plan = plan;
    this.#time = time;
    this.#network = network;
    this.#world = world;
    this.#lines = new StoryLines(time);
    // One listener for each request that waits for an event.
    setMaxListeners(0, this.#closing.signal);
  }

  async run(): Promise<Story> {
    const link = this.#world.link(DAEMON);
    const { engine } = await this.#inDaemon(() => this.#world.start(DAEMON, undefined, () => {}, link));
    const ended = new Set<string>();
    engine.listen((publication) => {
      this.#lines.addEvent(publication);
      const event = eventIn(publication);
      if (event?.type === 'graph' && event.action === 'finished') ended.add(event.typeId);
    });
    const actor = this.#startMachine(engine);
    // Its discovery is the only workflow.
    await this.#until(() => ended.size > 0, DISCOVERY_MS);
    await this.#until(() => false, REST_MS);
    const { node } = actor.machine.state;
    if (node === undefined || ended.size === 0) throw new Error('the machine of the story was not discovered');
    await this.#inDaemon(() => engine.obms.put(node, obmOfMachine(actor.machine)));
    const { graph, options, faults } = this.#plan;
    const { id } = await this.#inDaemon(async () => {
      this.#lines.launch();
      this.#noteFaults();
      actor.beginFaults(faults);
      return engine.launches.launch({ name: graph.name, options, nodeId: node });
    });
    await this.#until(() => ended.has(id), STORY_HOURS * HOUR_MS);
    const story = await this.#inDaemon(() => this.#storyOf(engine, id));
    this.#closing.abort();
    void actor.stop();
    await this.#until(() => false, 0);
    this.#world.kill(link);
    return story;
  }

  #startMachine(engine: WorldDaemon['engine']): StoryMachine {
    const { seed, model } = this.#plan;
    const endpoint = engine.config.httpEndpoints.find(({ routers }) => routers === 'southbound-api-router');
    if (endpoint === undefined) throw new Error('the daemon of the story has a southbound endpoint');
    const answer = createApp(engine, endpoint, silent, undefined, this.#closing.signal).callback();
    const network = this.#network;
    network.listen(`${HOST}:${SOUTH_PORT}`, (request, response) => void answer(request, response));
    const actor = new StoryMachine({ seed, model, network, south: SOUTH, lines: this.#lines });
    this.#time.add(0, () => actor.start(), 'machine');
    return actor;
  }

  /** Each fault gets its line when it begins. */
  #noteFaults(): void {
    const { lines, faults } = this.#plan;
    for (const { at, line } of faults.timed) {
      const text = (lines[line - 1] ?? '')
        .replace(/#.*/, '')
        .replace(/^[^:]*:/, '')
        .trim();
      this.#time.add(at, () => this.#lines.add(`fault: ${text}`), '');
    }
  }

  async #storyOf({ workflows, diagnosis }: WorldDaemon['engine'], id: string): Promise<Story> {
    const row = await workflows.get(id);
    if (row === undefined) throw new Error('the workflow of the story is gone');
    const { status, error, output, tasks } = row;
    const { lines, ledger, taskRuns, elapsedMs = 0 } = this.#lines;
    const why = await diagnosis.whyWorkflow(id);
    const { seed, lines: faults } = this.#plan;
    const runs = [...taskRuns.values()].map(({ taskName, states }) => ({ task: this.#taskNamed(taskName), states }));
    const waits = (why?.waits ?? []).map(({ label, detail }) => `${label ?? 'the graph'}: ${detail}`);
    this.#lines.add(`ended ${status}${error === null ? '' : `: ${error.code}`}`);
    return {
      seed,
      faults: faults.filter((line) => line !== ''),
      status,
      error,
      output,
      tasks: Object.fromEntries(tasks.map(({ label, state, error: problem }) => [label, { state, error: problem }])),
      ledger,
      lines,
      violations: storyViolations({ status, ledger, runs, waits, elapsed: `${STORY_HOURS} h` }),
      elapsedMs,
    };
  }

  #taskNamed(name: string): Task | undefined {
    const { graph, tasks } = this.#plan;
    const label = [...graph.labels.values()].find(({ task }) => task.name === name);
    return label?.task ?? tasks.get(name);
  }

  #inDaemon<T>(work: () => Promise<T>): Promise<T> {
    return inDaemon(this.#time, DAEMON, work);
  }

  #until(condition: () => boolean, limitMs: number): Promise<void> {
    const last = this.#time.now + limitMs;
    return this.#time.run(() => condition() || this.#time.now >= last);
  }
}
