/**
 * Faults of the engine, put in on purpose: the oracle finds each of them, by the rule that it breaks, or it would prove nothing.
 * None is healed by the sweep.
 */
import type { Rule } from './oracle-rules.ts';

interface Patch {
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
}

export interface Mutation {
  name: string;
  patches: readonly Patch[];
  /** The rule that it breaks. */
  rule: Rule;
  /** With which it is found soonest; absent: with many. */
  crashesPerHour?: number;
  /** It needs work on many nodes, which the other mutations are found without, and sooner. */
  fleet?: true;
  /** With which it was found soonest, so that it is tried first; a change of the engine may change that. Absent: the first one. */
  seed?: number;
}

const runtime = 'engine/durable/runtime';

export const mutations: readonly Mutation[] = [
  {
    name: 'publish-before-save',
    rule: 'SAVED',
    crashesPerHour: 10,
    patches: [
      {
        file: `${runtime}/rows.ts`,
        from: 'if (!(await save(change))) {',
        to: 'const saved = save(change);\n    saved.catch(() => {});\n    if (change.before === undefined) {',
      },
    ],
  },
  {
    name: 'once-again',
    rule: 'ONCE',
    seed: 27,
    patches: [
      {
        file: `${runtime}/activity.ts`,
        from: "if (task.probe === undefined) return { type: 'work.failed', error: interrupted };",
        to: "if (task.probe === undefined) return 'runs';",
      },
    ],
  },
  {
    name: 'claim-unchecked',
    rule: 'ONCE',
    seed: 6,
    patches: [
      {
        file: `${runtime}/activity.ts`,
        from: 'if (current === undefined || now?.claim !== by) return false;',
        to: 'if (current === undefined || now === undefined) return false;',
      },
    ],
  },
  {
    name: 'busy-node-taken',
    rule: 'ONE_HOLDER',
    patches: [
      {
        file: 'engine/durable/actors/node.ts',
        from: '        notify: { actions: sort },\n        await:',
        to: "        launch: { actions: ['take', { type: 'create', params: ({ event }) => ({ start: event.start }) }] },\n        notify: { actions: sort },\n        await:",
      },
      {
        file: `${runtime}/pairs.ts`,
        from: 'return found && !isFree(found) ? { isTaken: false, row: found } : undefined;',
        to: 'return undefined;',
      },
    ],
  },
  {
    name: 'timer-forgotten',
    rule: 'ENDS',
    patches: [
      {
        file: 'engine/durable/step/interpret.ts',
        from: 'if (delay === undefined || !Number.isFinite(delay)) return;',
        to: 'if (delay === undefined || Object.keys(builder.row.timers).length > 0) return;',
      },
    ],
  },
  {
    name: 'event-dropped',
    rule: 'EVENT_ORDER',
    patches: [
      {
        file: 'engine/events/broker/outbox.ts',
        from: '    } catch {\n      await this.#store(publications);\n    }',
        to: '    } catch {}',
      },
    ],
  },
  {
    name: 'event-under-another-id',
    rule: 'EVENT_ONCE',
    patches: [
      {
        file: 'engine/durable/step/publications.ts',
        from: 'const { id, n, action, status, progress, task, error } = note;',
        to: 'const { n, action, status, progress, task, error } = note;\n  const id = note.id + Math.random();',
      },
    ],
  },
  {
    name: 'notification-acknowledged-early',
    rule: 'NOTIFICATION_KEPT',
    crashesPerHour: 5,
    seed: 6,
    patches: [
      {
        file: 'engine/workflows/requests/notification-requests.ts',
        from: "const { row, changed } = await this.#send.node(mailboxId, { type: 'notify', ...notice, announced: publication });",
        to: "const sent = this.#send.node(mailboxId, { type: 'notify', ...notice, announced: publication });\n    sent.catch(() => {});\n    if (nonce !== undefined) return acceptedResult(body);\n    const { row, changed } = await sent;",
      },
    ],
  },
  {
    name: 'delivery-unsaved',
    rule: 'EVENT_ONCE',
    patches: [
      {
        file: `${runtime}/delivery.ts`,
        from: 'const isSaved = await pairs.both(change, { before: stored, row: after });',
        to: 'const isSaved = true;\n        pairs.both(change, { before: stored, row: after }).catch(() => {});',
      },
    ],
  },
  {
    name: 'notification-by-own-clock',
    rule: 'NOTIFICATION_KEPT',
    // It needs a clock that jumps, and a daemon that lives until the notification is late.
    crashesPerHour: 0,
    seed: 18,
    patches: [
      {
        file: 'engine/workflows/requests/notification-requests.ts',
        from: 'at: new Date(now()).toISOString(),',
        to: 'at: new Date().toISOString(),',
      },
    ],
  },
  {
    name: 'node-kept',
    rule: 'NODE_FREE',
    patches: [
      {
        file: `${runtime}/pairs.ts`,
        from: 'return { ...result, joint: { row: withoutEffects(result.row, (effect) => effect === ended), save } };',
        to: 'return save === undefined ? result : { ...result, row: withoutEffects(result.row, (effect) => effect === ended) };',
      },
    ],
  },
  {
    name: 'change-acknowledged-early',
    rule: 'CHANGE_KEPT',
    seed: 12,
    patches: [
      {
        file: 'engine/inventory/nodes/node-requests.ts',
        from: '    return (await this.#changeNode(id, change))?.tags;',
        to: '    void this.#changeNode(id, change).catch(() => {});\n    return [...tags];',
      },
    ],
  },
  {
    name: 'event-not-logged',
    rule: 'EVENT_LOGGED',
    crashesPerHour: 5,
    seed: 5,
    patches: [
      {
        file: 'engine/events/broker/outbox.ts',
        from: 'await Promise.all([...taken, this.#out(publications, follows)]);',
        to: 'for (const one of taken) one?.catch(() => {});\n    await this.#out(publications, follows);',
      },
    ],
  },
  {
    name: 'limit-of-one-step',
    fleet: true,
    rule: 'LIMIT',
    seed: 13,
    patches: [
      {
        file: 'engine/workflows/rollouts/rollout-begin.ts',
        from: '      for (const group of target.groups) busy.set(group, (busy.get(group) ?? 0) + 1);\n      launch(',
        to: '      launch(',
      },
    ],
  },
  {
    name: 'gate-after-beginnings',
    fleet: true,
    rule: 'GATE',
    seed: 10,
    patches: [
      {
        file: 'engine/workflows/rollouts/rollout-step.ts',
        from: "const mayPause = status === 'running' || (status === 'paused' && reason?.kind !== 'gate');",
        to: "const mayPause = draft.phase.counts.pending === 0 && (status === 'running' || reason?.kind !== 'gate');",
      },
    ],
  },
  {
    name: 'hold-acknowledged-early',
    fleet: true,
    rule: 'HOLD',
    crashesPerHour: 5,
    seed: 14,
    patches: [
      {
        file: 'engine/inventory/holds/hold-requests.ts',
        from: '    await mark(node, added.id);',
        to: '    void mark(node, added.id).catch(() => {});',
      },
    ],
  },
  {
    name: 'ticket-not-used-up',
    fleet: true,
    rule: 'TICKET',
    crashesPerHour: 5,
    seed: 6,
    patches: [
      {
        file: 'engine/workflows/requests/launch-approvals.ts',
        from: 'const used = await tickets.change(ticket.id, (current, at) => usedFor(current, user, at));',
        to: "const used = usedFor(ticket, user, '');",
      },
    ],
  },
  {
    name: 'rollout-before-approval',
    fleet: true,
    rule: 'TICKET',
    patches: [
      {
        file: 'engine/workflows/tickets/rollout-tickets.ts',
        from: "    if (ticket?.status !== 'approved') return false;",
        to: '    if (ticket === undefined) return false;',
      },
      {
        file: 'engine/workflows/approvals/ticket-state.ts',
        from: "  if (ticket.status !== 'approved' || (ticket.usedBy !== null && ticket.usedBy !== user)) throw unusableTicket(ticket);\n  return withEvent",
        to: '  return withEvent',
      },
    ],
  },
  {
    name: 'window-always-open',
    fleet: true,
    rule: 'WINDOW',
    seed: 2,
    patches: [
      {
        file: 'engine/workflows/windows/window-room.ts',
        from: '  return open && at + neededMs(window, usual) < endOf(closesAt);',
        to: '  return open || at > 0;',
      },
    ],
  },
  {
    name: 'health-not-counted',
    fleet: true,
    rule: 'GATE',
    seed: 3,
    patches: [
      {
        file: 'engine/workflows/rollouts/rollout-gates.ts',
        from: "  if ('health' in gate) return true;",
        to: "  if ('health' in gate) return false;",
      },
    ],
  },
  {
    name: 'retry-of-what-succeeded',
    fleet: true,
    rule: 'RETRY',
    seed: 5,
    patches: [
      {
        file: 'engine/workflows/rollouts/rollout-targets.ts',
        from: '/failed`);\n    return',
        to: '/succeeded`);\n    return',
      },
      {
        file: 'engine/workflows/rollouts/rollout-targets.ts',
        from: "phasePrefix(rollout, 'failed', before)",
        to: "phasePrefix(rollout, 'succeeded', before)",
      },
      {
        file: 'engine/workflows/rollouts/rollout-effects.ts',
        from: 'const isRetried = earlier !== null && (await this.#port.launches.retryOnce(workflow, earlier, retry));',
        to: "const isRetried = earlier === '' && retry !== undefined;",
      },
    ],
  },
  {
    name: 'due-time-under-another-id',
    fleet: true,
    rule: 'DUE_TIME',
    seed: 7,
    patches: [
      {
        file: 'engine/workflows/schedules/schedule-effects.ts',
        from: '    const run = await this.#begin(schedule, id, at);',
        to: '    const run = await this.#begin(schedule, id + Math.random(), at);',
      },
    ],
  },
];
