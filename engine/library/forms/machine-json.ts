/**
 * A graph's machine as JSON: the configuration of XState's `createMachine`, as its editors export it, and the task of
 * each `src`. This file reads one: it finds every reason to reject it, and copies only the keys that it knows.
 *
 * The table of the tasks is `tasks`, or `tasks` in the meta of the machine's root, which editors keep. A `src` that is
 * not in it is itself the name of a task. The label of a task is its `src`; if several states have the same `src`, their
 * labels are `<src>-<state>`.
 *
 * JSON has no code. Its guards and actions would be names without a meaning, and nothing sends it events, so they are
 * rejected: a condition is a task (`Task.Evaluate.Condition`) with `onDone` and `onError`.
 */
import { type Static, Type } from 'typebox';
import { validator } from '../../platform/validation/validator.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { isObject, type JsonObject, objectIn, property } from '../../vocabulary/json.ts';
import { pathOfKey } from '../../vocabulary/json-pointer.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import { type RejectionList, rejectDefinition, rejectFound, shownJson } from '../options/rejection.ts';
import { UNKNOWN_KEY } from '../options/schema.ts';
import { reservedLabels } from '../types.ts';
import { definitionName } from './definition-name.ts';
import { wordsOf } from './invokes.ts';
import { STATES_LIMIT, TRANSITIONS_LIMIT } from './machine-limits.ts';

const DEPTH_LIMIT = 20;
/** ms: longer than any wait, and short enough for a timer. */
const AFTER_PATTERN = /^\d{1,12}$/;

/** The actions of a machine from JSON, which has them at the ends of its tasks. */
export const KEEP_OUTPUT = 'keepOutput';
export const KEEP_ERROR = 'keepError';

const Name = Type.String({ minLength: 1, maxLength: 256 });
const Free = Type.Record(Type.String(), Type.Unknown());

const Shape = Type.Object(
  {
    friendlyName: Name,
    injectableName: definitionName,
    options: Type.Optional(Type.Record(Type.String(), Free)),
    machine: Free,
    tasks: Type.Optional(Type.Record(Name, Name, { minProperties: 1, maxProperties: STATES_LIMIT })),
  },
  { additionalProperties: false },
);

export type MachineJson = Static<typeof Shape>;

/** A configuration that has been read. */
type MachineConfig = Record<string, unknown>;

export interface MachineReading {
  json: MachineJson;
  config: MachineConfig;
  /** By label: the name of its task. */
  tasks: ReadonlyMap<string, string>;
}

/** Whether a definition is meant to be a machine, so that its violations are those of one. */
export const isMachineJson = (json: unknown): boolean => isObject(json) && 'machine' in json;

/**
 * Returns the definition for a file that has only the configuration of `createMachine`, as an editor exports it; other
 * definitions are returned unchanged.
 * @param byPath the name by the path of the file
 */
export function namedMachine(json: unknown, byPath: string | undefined): unknown {
  if (!isObject(json) || !('states' in json) || 'machine' in json || 'injectableName' in json) return json;
  const { id, description, meta } = json;
  const { injectableName, friendlyName } = objectIn(meta);
  const name = [id, injectableName].find((one) => typeof one === 'string' && one.startsWith('Graph.')) ?? byPath;
  return { friendlyName: friendlyName ?? description ?? name, injectableName: name, machine: json };
}

/** Returns a function that finds the name of the task of a `src`; undefined: it has none. */
export function taskOfSrc(json: JsonObject): (src: string) => unknown {
  const table = objectIn(json.tasks ?? objectIn(objectIn(json.machine).meta).tasks);
  return (src) => (Object.hasOwn(table, src) ? table[src] : src.startsWith('Task.') ? src : undefined);
}

/**
 * @param rejections receives the keys that are not known here: they hide no other violation
 * @throws Rejection with every other violation that can be found without the tasks
 */
export function readMachineJson(put: unknown, rejections: RejectionList): MachineReading {
  if (!validator.accepts(Shape, put)) throw rejectDefinition('a graph', validator.violations(Shape, put, UNKNOWN_KEY));
  const reading = new Reading(put);
  const config = reading.root();
  const { violations } = reading;
  if (violations.length > reading.unknownKeyCount) throw rejectDefinition('a graph', violations);
  rejections.try(() => rejectFound(violations));
  return { json: put, config, tasks: reading.tasks };
}

const TYPES = ['atomic', 'compound', 'parallel', 'final', 'history'] as const;
/** Copied as they are; XState checks their values when it creates the machine. */
const TEXTS = ['id', 'initial', 'history', 'target'] as const;
/** Each of them is read by a method of `Reading`. */
const PARTS = ['type', 'tags', 'states', 'after', 'always', 'invoke', 'onDone', 'output'] as const;
/** Ignored: they are for people and for editors. */
const NOTES = ['description', 'meta', '$schema', 'version', 'types', 'key', 'schemas', 'tsTypes', 'schema'];
/** Properties of the root in exports for earlier versions of XState. */
const SETTINGS = ['predictableActionArguments', 'preserveActionOrder', 'strict'];
const CODE_ADVICE = 'a machine as JSON has no code; use Task.Evaluate.Condition with onDone and onError, or a file';
const EVENTS_ADVICE = 'only ends of tasks (onDone, onError) and timers (after) reach a graph';

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

class Reading {
  readonly violations: Violation[] = [];
  /** How many of the violations are keys that are not known here. */
  unknownKeyCount = 0;
  /** By label. */
  readonly tasks = new Map<string, string>();
  readonly #json: MachineJson;
  readonly #taskOf: (src: string) => unknown;
  /** By label: the path of its invoke. */
  readonly #invoked = new Map<string, string>();
  readonly #sources = new Set<string>();
  readonly #shared: ReadonlySet<string>;
  #count = 0;
  #transitionCount = 0;

  constructor(json: MachineJson) {
    this.#json = json;
    this.#taskOf = taskOfSrc(json);
    this.#shared = sharedSources(json.machine);
  }

  root(): MachineConfig {
    const { machine, tasks, injectableName } = this.#json;
    const { context = {}, ...root } = machine;
    const settings = Object.fromEntries(Object.entries(root).filter(([key]) => !SETTINGS.includes(key)));
    const config = this.#state(settings, 'machine', 0, injectableName);
    if (!isObject(context)) this.#reject('machine.context', `found ${shownJson(context)}, expected an object`);
    const table = tasks === undefined ? 'machine.meta.tasks' : 'tasks';
    for (const src of Object.keys(tasks ?? objectIn(objectIn(machine.meta).tasks))) {
      if (!this.#sources.has(src)) this.#reject(pathOfKey(table, src), 'is not the src of an invoke');
    }
    for (const label of this.tasks.keys()) {
      const path = pathOfKey(table, label);
      if (reservedLabels.includes(label))
        this.#reject(path, `found '${label}', which is reserved; expected another src`);
      if (isObject(context) && (Object.hasOwn(context, label) || label === 'error')) {
        this.#reject(path, `found '${label}', which the context has; it keeps the output of each src under its name`);
      }
    }
    if (this.#invoked.size === 0 && this.violations.length === 0)
      this.#reject('tasks', 'found no invoke, expected a machine with at least one task');
    return { id: injectableName, ...config, context: { ...(isObject(context) && context), error: null } };
  }

  #reject(path: string, message: string): void {
    this.violations.push({ path, message });
  }

  #rejectUnknown(key: string, path: string, knownKeys: readonly string[]): void {
    this.unknownKeyCount += 1;
    this.#reject(pathOfKey(path, key), `'${key.slice(0, 80)}' ${UNKNOWN_KEY}${didYouMean(key, knownKeys)}`);
  }

  /** @param key the key of the state */
  #state(state: unknown, path: string, depth: number, key: string): MachineConfig {
    if (!isObject(state)) {
      this.#reject(path, `found ${shownJson(state)}, expected a state`);
      return {};
    }
    this.#count += 1;
    if (depth > DEPTH_LIMIT || this.#count > STATES_LIMIT) {
      if (this.#count <= STATES_LIMIT + 1)
        this.#reject(path, `expected at most ${STATES_LIMIT} states, ${DEPTH_LIMIT} deep`);
      return {};
    }
    this.#checkKeys(state, path);
    const { type, tags, output, states, after, always, invoke, onDone } = state;
    if (type !== undefined && !isOneOf(TYPES, type))
      this.#reject(`${path}.type`, `found ${shownJson(type)}, expected one of ${TYPES.join(', ')}`);
    const labels = [tags ?? []].flat();
    if (labels.some((tag) => typeof tag !== 'string'))
      this.#reject(`${path}.tags`, `found ${shownJson(tags)}, expected texts`);
    return {
      ...(type !== undefined && { type }),
      ...this.#texts(state, path),
      ...(labels.length > 0 && { tags: labels }),
      ...(output !== undefined && { output }),
      ...(!isEmpty(states) && { states: this.#children(states, `${path}.states`, depth) }),
      ...(!isEmpty(after) && { after: this.#after(after, `${path}.after`) }),
      ...(!isEmpty(always) && { always: this.#transitions(always, `${path}.always`) }),
      ...(!isEmpty(invoke) && { invoke: this.#invokes(invoke, `${path}.invoke`, key) }),
      ...(!isEmpty(onDone) && { onDone: this.#transitions(onDone, `${path}.onDone`) }),
    };
  }

  #checkKeys(state: JsonObject, path: string): void {
    for (const [key, value] of Object.entries(state)) {
      if (isOneOf([...TEXTS, ...PARTS], key) || NOTES.includes(key) || isEmpty(value)) continue;
      const at = pathOfKey(path, key);
      if (key === 'entry' || key === 'exit') this.#reject(at, `found actions, expected none: ${CODE_ADVICE}`);
      else if (key === 'on') this.#reject(at, `found events, expected none: ${EVENTS_ADVICE}`);
      else this.#rejectUnknown(key, path, PARTS);
    }
  }

  #texts(state: JsonObject, path: string): MachineConfig {
    const keys = TEXTS.filter((key) => state[key] !== undefined);
    for (const key of keys) {
      if (typeof state[key] !== 'string')
        this.#reject(`${path}.${key}`, `found ${shownJson(state[key])}, expected a text`);
    }
    return Object.fromEntries(keys.map((key) => [key, state[key]]));
  }

  #children(states: unknown, path: string, depth: number): MachineConfig {
    if (!isObject(states)) {
      this.#reject(path, `found ${shownJson(states)}, expected an object of states`);
      return {};
    }
    return Object.fromEntries(
      Object.entries(states).map(([key, state]) => {
        const at = pathOfKey(path, key);
        // Dots separate the keys of a target; the others are names of prototypes.
        if (/[.#]/.test(key) || key === '' || reservedLabels.includes(key))
          this.#reject(at, `found '${key.slice(0, 40)}', expected a name without dots that is not reserved`);
        return [key, this.#state(state, at, depth + 1, key)];
      }),
    );
  }

  #after(after: unknown, path: string): MachineConfig {
    if (!isObject(after)) {
      this.#reject(path, `found ${shownJson(after)}, expected an object of ms and transitions`);
      return {};
    }
    return Object.fromEntries(
      Object.entries(after).map(([ms, given]) => {
        if (!AFTER_PATTERN.test(ms)) this.#reject(pathOfKey(path, ms), `found '${ms.slice(0, 40)}', expected ms`);
        return [ms, this.#transitions(given, pathOfKey(path, ms))];
      }),
    );
  }

  /** @throws Rejection immediately: the rest is not read */
  #countTransitions(count: number, path: string): void {
    this.#transitionCount += count;
    if (this.#transitionCount <= TRANSITIONS_LIMIT) return;
    const message = `expected at most ${TRANSITIONS_LIMIT} transitions in all; each target and each timer counts`;
    throw rejectDefinition('a graph', [...this.violations, { path, message }]);
  }

  /** @param action the action of each transition */
  #transitions(given: unknown, path: string, action?: string): MachineConfig[] {
    const all: unknown[] = [given ?? {}].flat();
    this.#countTransitions(all.length, path);
    return all.map((one, index) => {
      const at = Array.isArray(given) ? `${path}.${index}` : path;
      const transition = typeof one === 'string' ? { target: one } : one;
      if (!isObject(transition)) {
        this.#reject(at, `found ${shownJson(one)}, expected a target, or an object with one`);
        return {};
      }
      // Earlier versions of XState write `internal: false` instead.
      const { target, internal, reenter = internal === false } = transition;
      for (const [key, value] of Object.entries(transition)) {
        if (['target', 'reenter', 'internal', ...NOTES].includes(key) || isEmpty(value)) continue;
        if (['guard', 'cond', 'actions'].includes(key))
          this.#reject(pathOfKey(at, key), `found ${shownJson(value)}, expected none: ${CODE_ADVICE}`);
        else this.#rejectUnknown(key, at, ['target', 'reenter']);
      }
      const targets = [target ?? []].flat();
      this.#countTransitions(Math.max(0, targets.length - 1), `${at}.target`);
      if (targets.some((each) => typeof each !== 'string'))
        this.#reject(`${at}.target`, `found ${shownJson(target)}, expected the name of a state`);
      return {
        ...(targets.length > 0 && { target: targets }),
        ...(reenter === true && { reenter }),
        ...(action !== undefined && { actions: action }),
      };
    });
  }

  #invokes(given: unknown, path: string, state: string): MachineConfig[] {
    return [given].flat().map((invoke: unknown, index) => {
      const at = Array.isArray(given) ? `${path}.${index}` : path;
      if (!isObject(invoke)) {
        this.#reject(at, `found ${shownJson(invoke)}, expected an object with src`);
        return {};
      }
      const { src, input, onDone, onError, id: _, ...more } = invoke;
      for (const [key, value] of Object.entries(more))
        if (!NOTES.includes(key) && !isEmpty(value))
          this.#rejectUnknown(key, at, ['src', 'input', 'onDone', 'onError']);
      const task = typeof src === 'string' ? this.#taskOf(src) : undefined;
      if (typeof src !== 'string' || typeof task !== 'string') {
        this.#reject(`${at}.src`, `found ${shownJson(src)}, expected one of tasks, or the name of a task`);
        return {};
      }
      const label = this.#shared.has(src) ? `${src}-${wordsOf(state)}` : src;
      const other = this.#invoked.get(label);
      if (other !== undefined)
        this.#reject(`${at}.src`, `found '${src}' also in ${other}; expected states with different names`);
      this.#invoked.set(label, at);
      this.#sources.add(src);
      this.tasks.set(label, task);
      return {
        src: label,
        id: label,
        ...(!isEmpty(input) && { input }),
        onDone: this.#transitions(onDone, `${at}.onDone`, KEEP_OUTPUT),
        ...(onError !== undefined && { onError: this.#transitions(onError, `${at}.onError`, KEEP_ERROR) }),
      };
    });
  }
}

/** Returns the sources that several invokes have. */
function sharedSources(machine: unknown): ReadonlySet<string> {
  const sources = new Set<string>();
  const shared = new Set<string>();
  const visit = (state: unknown, depth: number): void => {
    if (!isObject(state) || depth > DEPTH_LIMIT) return;
    for (const invoke of [state.invoke].flat()) {
      const src = property(invoke, 'src');
      if (typeof src === 'string') (sources.has(src) ? shared : sources).add(src);
    }
    for (const child of Object.values(objectIn(state.states))) visit(child, depth + 1);
  };
  visit(machine, 0);
  return shared;
}
