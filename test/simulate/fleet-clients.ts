/**
 * The clients of a simulation that work on many nodes: rollouts, holds, tickets and schedules. Their nodes are in racks, and no
 * other client launches on them.
 */

import type { RolloutRequest } from '../../engine/api-port/rollouts.ts';
import type { WorldDaemon } from '../../engine/assembly/virtual-world.ts';
import { DAY_MS, MINUTE_MS } from '../../engine/vocabulary/units.ts';
import { weekdays } from '../../engine/vocabulary/weekdays.ts';
import { isRolloutOver } from '../../engine/workflows/rollouts/rollout-state.ts';
import type { ClientsPort } from './clients.ts';
import { fleetGraphs } from './kinds.ts';

const RACKS = 2;
const FLEET_NODES = 6;
const SPREAD_MS = 5_000;
const STEER_MS = 5_000;
/** Until the end of a round, nearly. */
const STEERINGS = 120;
/** The steerings of the last minute and a half. */
const LAST_STEERINGS = 18;
const HOLD_MS = 60_000;
const SCHEDULE_MS = 90_000;
const SICK_MS = 365 * DAY_MS;
/** Minutes after the request at which its window opens, for one minute each. */
const OPENINGS = [2, 6];

const requester = { username: 'requester', tokenId: null };
const approver = { username: 'approver', tokenId: null };

export class FleetClients {
  readonly #port: ClientsPort;
  readonly #racks: string[] = [];
  readonly #nodes: string[] = [];

  constructor(port: ClientsPort) {
    this.#port = port;
  }

  burst(): void {
    const { calls, time, random } = this.#port;
    if (this.#nodes.length < FLEET_NODES) calls.ask((daemon) => this.#install(daemon));
    if (this.#nodes.length < FLEET_NODES) return;
    const work = [() => this.#rollout(), () => this.#hold(), () => this.#ticket(), () => this.#schedule()];
    for (const begin of work) if (random.chance(0.4)) time.add(random.between(0, SPREAD_MS), begin, '');
  }

  async #install({ engine }: WorldDaemon): Promise<void> {
    while (this.#racks.length < RACKS) {
      const { id } = await engine.nodes.create({ type: 'enclosure', name: `rack ${this.#racks.length}` });
      this.#racks.push(id);
    }
    while (this.#nodes.length < FLEET_NODES) {
      const count = this.#nodes.length;
      const rack = this.#racks[count % RACKS] as string;
      const relations = [{ relationType: 'enclosedBy', targets: [rack] }];
      const { id } = await engine.nodes.create({ type: 'compute', name: `fleet ${count}`, relations });
      this.#port.oracle.fleet.racks.set(id, rack);
      this.#nodes.push(id);
    }
    const [node = ''] = this.#nodes;
    await engine.health.put(node, 'client', { state: 'critical', message: 'simulated', ttlSec: SICK_MS / 1_000 });
    this.#port.note(`answered: ${node} is critical`);
    this.#port.oracle.fleet.sick.add(node);
  }

  #rollout(): void {
    const { calls, random, oracle, note } = this.#port;
    const advance = random.chance(0.3) ? ('manual' as const) : ('auto' as const);
    const request = {
      graph: random.chance(0.3) ? fleetGraphs.approved : fleetGraphs.risky,
      options: {},
      nodes: [...this.#nodes],
      seed: random.below(1_000),
      phases: [{ size: 1 + random.below(FLEET_NODES - 1), advance }, { size: 'rest' }],
      limits: { running: 1 + random.below(3), per: { enclosedBy: 1 + random.below(2) } },
      gates: [
        { failures: 1 + random.below(2), scope: 'rollout' as const },
        ...(random.chance(0.3) ? [{ health: 'critical' as const }] : []),
      ],
      onHeld: random.chance(0.5) ? ('wait' as const) : ('skip' as const),
    };
    const hasWindow = random.chance(0.4);
    calls.ask(async (daemon) => {
      const { engine } = daemon;
      const window = hasWindow ? await this.#window(daemon) : undefined;
      const placed = { ...request, ...(window && { window: window.id }) };
      const ticket = request.graph === fleetGraphs.approved ? await this.#ticketOf(daemon, placed) : undefined;
      const { id } = await engine.rollouts.create({ ...placed, ...(ticket !== undefined && { ticket }) });
      note(`answered: rollout ${id}`);
      oracle.fleet.rollouts.add(id);
      if (window !== undefined) oracle.fleet.windows.set(id, window.spans);
      this.#steer(id, STEERINGS);
    });
  }

  /** It is closed at first. */
  async #window({ engine }: WorldDaemon) {
    const begin = Math.floor(this.#port.time.now / MINUTE_MS) * MINUTE_MS;
    const days = [...weekdays];
    const spans = OPENINGS.map((minutes) => {
      const from = begin + minutes * MINUTE_MS;
      return { from, to: from + MINUTE_MS };
    });
    const clock = (at: number) => new Date(at).toISOString().slice(11, 16);
    const { id } = await engine.windows.create({
      name: 'simulated',
      zone: 'UTC',
      spans: spans.map(({ from, to }) => ({ days, from: clock(from), to: clock(to) })),
    });
    return { id, spans };
  }

  /** A ticket of a rollout, which another user approves after a while: until then the rollout waits. */
  async #ticketOf({ engine }: WorldDaemon, rollout: RolloutRequest): Promise<string> {
    const { calls, random, oracle } = this.#port;
    const { id } = await engine.tickets.create({ rollout }, requester);
    calls.insist(random.between(1_000, 10_000), async (daemon) => {
      oracle.fleet.approved.add(id);
      const { status } = (await daemon.engine.tickets.get(id)) ?? {};
      if (status === 'requested') await daemon.engine.tickets.act(id, { command: 'approve' }, approver);
    });
    return id;
  }

  /** Resumes a rollout that a gate has paused, begins its phases, and retries what failed, once. Cancels one that found no time. */
  #steer(id: string, remaining: number): void {
    const { calls, time, oracle } = this.#port;
    const { retries } = oracle.fleet;
    let isOver = false;
    calls.ask(async ({ engine }) => {
      const rollout = await engine.rollouts.get(id);
      const isRetried = retries.has(id) || rollout?.status !== 'completed_with_failures' || remaining < LAST_STEERINGS;
      isOver = rollout !== undefined && isRolloutOver(rollout) && isRetried;
      if (!isRetried) {
        retries.set(id, 1);
        await engine.rollouts.act(id, { command: 'retry-failed', acknowledge: true });
      }
      const kind = rollout?.reason?.kind;
      if (kind === 'gate') await engine.rollouts.act(id, { command: 'resume' });
      if (kind === 'phase') await engine.rollouts.act(id, { command: 'advance' });
      if (kind === 'window' && remaining < LAST_STEERINGS) await engine.rollouts.act(id, { command: 'cancel' });
    });
    time.add(STEER_MS, () => void (isOver || remaining === 0 || this.#steer(id, remaining - 1)), '');
  }

  /** A hold, and launches that come at about the same time. */
  #hold(): void {
    const { calls, time, random, oracle, note } = this.#port;
    const node = random.pick(this.#nodes);
    const until = time.now + HOLD_MS;
    const hold = { kind: 'maintenance' as const, reason: 'simulated', until: new Date(until).toISOString() };
    calls.ask(async ({ engine }) => {
      const { id } = await engine.holds.add(node, hold);
      note(`answered: hold ${id}`);
      oracle.fleet.holds.set(id, { node, until });
      calls.insist(random.between(1_000, HOLD_MS / 2), async (daemon) => {
        oracle.fleet.holds.delete(id);
        await daemon.engine.holds.remove(node, id);
      });
    });
    for (let n = 0; n < 3; n += 1) {
      const request = { name: fleetGraphs.short, options: {}, nodeId: node };
      const launch = () => calls.ask(async ({ engine }) => void (await engine.launches.launch(request)));
      time.add(random.between(0, 300), launch, '');
    }
  }

  /** A ticket, which may be approved, and launches with it and without it. */
  #ticket(): void {
    const { calls, time, random, oracle } = this.#port;
    const request = { name: fleetGraphs.approved, options: {}, nodeId: random.pick(this.#nodes) };
    calls.ask(async ({ engine }) => {
      const { id: ticket } = await engine.tickets.create({ launch: request }, requester);
      if (random.chance(0.7)) {
        calls.insist(random.between(0, 3_000), async (daemon) => {
          oracle.fleet.approved.add(ticket);
          const { status } = (await daemon.engine.tickets.get(ticket)) ?? {};
          if (status === 'requested') await daemon.engine.tickets.act(ticket, { command: 'approve' }, approver);
        });
      }
      for (const launched of [request, { ...request, ticket }, { ...request, ticket }, { ...request, ticket }]) {
        const launch = () => calls.ask(async (daemon) => void (await daemon.engine.launches.launch(launched)));
        time.add(random.between(0, 4 * SPREAD_MS), launch, '');
      }
    });
  }

  #schedule(): void {
    const { calls, time, random, oracle, note } = this.#port;
    const everySec = 5 + random.below(20);
    const from = Math.floor(time.now) + SPREAD_MS;
    const until = time.now + SCHEDULE_MS;
    const schedule = {
      name: 'simulated',
      when: { everySec, from: new Date(from).toISOString() },
      launch: { name: fleetGraphs.scheduled, nodes: [random.pick(this.#nodes)] },
      overlap: random.chance(0.5) ? ('skip' as const) : ('queue' as const),
      missed: random.chance(0.5) ? ('run' as const) : ('skip' as const),
      until: new Date(until).toISOString(),
    };
    calls.ask(async ({ engine }) => {
      const { id, createdAt } = await engine.schedules.create(schedule);
      note(`answered: schedule ${id}`);
      const due: string[] = [];
      for (let at = from; at <= until; at += everySec * 1_000) due.push(new Date(at).toISOString());
      oracle.fleet.schedules.set(
        id,
        due.filter((at) => at > createdAt),
      );
    });
  }
}
