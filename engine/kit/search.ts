/**
 * The search for all configurations of a graph. Relies on `getAdjacencyMap` of XState, which is breadth first, so that
 * the first path to a configuration is a shortest one; and on `moves.ts` for the ways on.
 *
 * 1. Configurations are the same if their state, running labels and timers are, and their context, if the graph has
 *    guards or actions that decide by it.
 * 2. A limit on the configurations, and on those that differ only in context, ends the search. Then single runs follow,
 *    in which all goes well, except for one kind of step.
 */

import type { ActorLogic, AnyStateMachine } from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import { FAILED } from '../define/graph.ts';
import { nodesOf, transitionsOf } from '../library/forms/machine-nodes.ts';
import { sha256 } from '../library/options/hash.ts';
import type { Graph } from '../library/types.ts';
import { stopwatch } from '../platform/lib/stopwatch.ts';
import { type Configuration, stepsOf } from './configurations.ts';
import { guardsIn, type Move, Moves, type Way } from './moves.ts';
import { stateText } from './readable.ts';

/** An end of a graph: a configuration in which its machine has ended. */
export interface GraphEnd {
  /** The final state, as text. */
  state: string;
  status: 'succeeded' | 'failed';
  /** A shortest path: what happens, in words, beginning with the launch. */
  path: string[];
}

/** A configuration from which the graph cannot end. */
export interface DeadEnd {
  /** The active states, as text. */
  state: string;
  path: string[];
}

/** Code of the graph that threw: it ends the workflow as GRAPH_FAILED. */
export interface ThrownError {
  message: string;
  path: string[];
}

/** A read of the clock or of random numbers by code of the graph. */
export interface ImpureRead {
  /** Such as `Date.now()`. */
  read: string;
  path: string[];
}

/** Contexts per state; a counter without a limit would have endlessly many. */
const CONTEXTS_LIMIT = 200;
/** Steps of a single run, after the search was truncated. */
const RUN_LIMIT = 2_000;
/** Steps of simple machines, of some 20 microseconds; others cost more (`weightOf`). */
const WORK_LIMIT = 100_000;
/** Timers or tasks of a configuration that cost as much as a step; also in memory. */
const COPIES = 10;
/** Longer keys are hashed: V8 finds long strings of one length by comparing them all. */
const KEY_LIMIT = 1_000;

export class Search {
  readonly #graph: Graph;
  readonly #steps: ReturnType<typeof stepsOf>;
  readonly #moves: Moves;
  readonly #limit: number;
  readonly #isByContext: boolean;
  readonly #keys = new WeakMap<Configuration, string>();
  /** By state: the contexts seen. */
  readonly #contexts = new Map<string, Set<string>>();
  readonly #configurations = new Map<string, Configuration>();
  readonly #expanded = new Set<string>();
  /** How each configuration was reached first; absent: it is the first of a run. */
  readonly #parents = new Map<string, { from: string; by: string }>();
  readonly #labels = new Set<string>();
  /** By the read: the path to the first step that has it. */
  readonly #reads = new Map<string, string[]>();
  #isTruncated = false;
  /** The cost so far, and that of a step. */
  #work = 0;
  readonly #weight: number;

  constructor(graph: Graph, machine: AnyStateMachine, limit: number, budgetMs: number) {
    this.#graph = graph;
    this.#steps = within(stepsOf(graph, machine), budgetMs);
    this.#moves = new Moves(graph, this.#steps);
    this.#limit = limit;
    this.#weight = weightOf(graph, machine);
    this.#isByContext = graph.kind === 'list' || decidesByContext(machine);
  }

  from(input: unknown): void {
    const first = this.#steps.begin(input);
    this.#see(first);
    const logic = {
      getInitialSnapshot: () => first,
      transition: (_: Configuration, { next }: Move) => next,
    } as unknown as ActorLogic<Configuration, Move>;
    getAdjacencyMap(logic, {
      fromState: first,
      serializeState: (configuration) => this.#key(configuration),
      serializeEvent: ({ type }) => type,
      events: (configuration) => this.#expand(configuration),
      stopWhen: (configuration) => this.#stops(configuration),
    });
    if (this.#isTruncated) this.#runs(first);
  }

  #stops(configuration: Configuration): boolean {
    if (configuration.ending !== undefined || this.#expanded.has(this.#key(configuration))) return true;
    if (this.#expanded.size < this.#limit && this.#work < WORK_LIMIT) return false;
    this.#isTruncated = true;
    return true;
  }

  #expand(configuration: Configuration): Move[] {
    this.#expanded.add(this.#key(configuration));
    const moves = this.#moves.from(configuration);
    for (const { next, type } of moves) this.#see(next, { from: configuration, by: type });
    this.#work += moves.length * this.#costOf(configuration);
    return moves;
  }

  /** A step from there copies each timer and each task, and cancels it if its state is left. */
  #costOf = ({ running, timers }: Configuration): number =>
    this.#weight + Math.floor((running.size + timers.size) / COPIES);

  /** @param reached absent: it is the first of a run */
  #see(configuration: Configuration, reached?: { from: Configuration; by: string }): void {
    for (const label of configuration.running.values()) this.#labels.add(label);
    for (const read of configuration.reads ?? []) {
      if (this.#reads.has(read)) continue;
      this.#reads.set(
        read,
        reached === undefined ? this.#path('') : [...this.#path(this.#key(reached.from)), reached.by],
      );
    }
    const key = this.#key(configuration);
    if (this.#configurations.has(key)) return;
    this.#configurations.set(key, configuration);
    if (reached !== undefined) this.#parents.set(key, { from: this.#key(reached.from), by: reached.by });
  }

  #key(configuration: Configuration): string {
    const cachedKey = this.#keys.get(configuration);
    if (cachedKey !== undefined) return cachedKey;
    const { machine, running, timers, ending, thrown } = configuration;
    const state = JSON.stringify([
      machine.value,
      machine.historyValue,
      [...running.keys()].sort(),
      [...timers.keys()].sort(),
      ending !== undefined,
      thrown,
    ]);
    const key = this.#isByContext ? `${state} ${this.#contextKey(state, machine.context)}` : state;
    const short = key.length > KEY_LIMIT ? sha256(key) : key;
    this.#keys.set(configuration, short);
    return short;
  }

  #contextKey(state: string, context: unknown): string {
    if (this.#graph.kind === 'list') {
      const { states, error } = context as { states: unknown; error: unknown };
      return JSON.stringify([states, error !== null]);
    }
    const text = JSON.stringify(context) ?? '';
    const contexts = this.#contexts.get(state) ?? new Set();
    this.#contexts.set(state, contexts);
    if (contexts.has(text)) return text;
    if (contexts.size >= CONTEXTS_LIMIT) {
      this.#isTruncated = true;
      return '(more)';
    }
    contexts.add(text);
    return text;
  }

  /** Runs in which all goes well, except for one kind of step, which is taken wherever it can be. */
  #runs(first: Configuration): void {
    let remainingWork = Math.max(2 * this.#graph.labels.size * this.#weight, WORK_LIMIT);
    // Iterating a set also visits entries that are added in the meantime.
    const kinds = new Set(['']);
    for (const kind of kinds) {
      let at = first;
      for (let n = 0; n < RUN_LIMIT && remainingWork > 0; n += 1) {
        remainingWork -= this.#costOf(at);
        const ways = this.#moves.ways(at);
        for (const { words } of ways) kinds.add(words);
        const way = ways.find(({ words }) => words === kind) ?? ways[n % Math.max(1, goodIn(ways))];
        const next = way?.take();
        if (way === undefined || next === undefined) break;
        this.#see(next, { from: at, by: way.words });
        at = next;
      }
    }
  }

  result() {
    const all = [...this.#configurations];
    const over = all.filter(([, { ending }]) => ending !== undefined);
    const canEnd = this.#canEnd(over.map(([key]) => key));
    const ends = over.map(([key, { ending, machine }]): GraphEnd => {
      const isFailed = ending === undefined || 'error' in ending || ending.tags.has(FAILED);
      return { state: stateText(machine.value), status: isFailed ? 'failed' : 'succeeded', path: this.#path(key) };
    });
    const thrown = over.flatMap(([key, { thrown: message }]) =>
      message === undefined ? [] : [{ message, path: this.#path(key) }],
    );
    const dead = all.filter(([key]) => !canEnd.has(key));
    const deadEnds = dead.map(
      ([key, { machine }]): DeadEnd => ({ state: stateText(machine.value), path: this.#path(key) }),
    );
    const needOutputs = [...this.#moves.needOutputs].map(([label, message]) => ({ label, message }));
    const truncated = this.#isTruncated;
    const impure = [...this.#reads].map(([read, path]): ImpureRead => ({ read, path }));
    return { ends, deadEnds, thrown, impure, truncated, labels: this.#labels, needOutputs, configurations: all.length };
  }

  /** Returns the configurations from which an end can be reached, and those that were not explored. */
  #canEnd(ends: readonly string[]): Set<string> {
    const before = new Map<string, string[]>();
    for (const from of this.#expanded) {
      for (const { next } of this.#moves.from(this.#configurations.get(from) as Configuration)) {
        const key = this.#key(next);
        const predecessors = before.get(key);
        if (predecessors === undefined) before.set(key, [from]);
        else predecessors.push(from);
      }
    }
    const canEnd = new Set(ends);
    for (const key of this.#configurations.keys()) if (!this.#expanded.has(key)) canEnd.add(key);
    // Iterating a set also visits entries that are added in the meantime.
    for (const key of canEnd) for (const from of before.get(key) ?? []) canEnd.add(from);
    return canEnd;
  }

  #path(key: string): string[] {
    const path: string[] = [];
    for (let at = this.#parents.get(key); at !== undefined; at = this.#parents.get(at.from)) path.unshift(at.by);
    return ['launched', ...path];
  }
}

/** The search has used up its time. */
export class OutOfTime extends Error {}

function within(
  { begin, afterEnd: ended, afterTimer: fired }: ReturnType<typeof stepsOf>,
  budgetMs: number,
): ReturnType<typeof stepsOf> {
  const worked = stopwatch();
  const timelyMoves =
    <A extends unknown[], T>(step: (...args: A) => T) =>
    (...args: A): T => {
      if (worked() > budgetMs) throw new OutOfTime();
      return step(...args);
    };
  return { begin: timelyMoves(begin), afterEnd: timelyMoves(ended), afterTimer: timelyMoves(fired) };
}

/** XState interprets machines with parallel and history states, and the ledger of a list has all labels. */
function weightOf({ kind, labels }: Graph, machine: AnyStateMachine): number {
  if (kind === 'list') return 1 + Math.ceil(labels.size / 2);
  const nodes = nodesOf(machine);
  return nodes.some(({ type }) => type === 'parallel' || type === 'history') ? nodes.length : 1;
}

const goodIn = (ways: readonly Way[]): number => ways.filter(({ isGood }) => isGood).length;

/** Whether the machine's next state depends on more than its state: guards, and actions that enqueue others. */
function decidesByContext(machine: AnyStateMachine): boolean {
  if (guardsIn(machine).length > 0) return true;
  const actions = nodesOf(machine).flatMap((node) => [
    ...node.entry,
    ...node.exit,
    ...transitionsOf(node).flatMap((transition) => transition.actions as readonly unknown[]),
  ]);
  const named = machine.implementations.actions as Record<string, unknown>;
  return actions.some((action) => {
    const name =
      typeof action === 'string'
        ? action
        : typeof action === 'object' && action !== null
          ? String(Reflect.get(action, 'type'))
          : undefined;
    const behind = name === undefined ? action : named[name];
    return typeof behind === 'function' && Reflect.get(behind, 'type') === 'xstate.enqueueActions';
  });
}
