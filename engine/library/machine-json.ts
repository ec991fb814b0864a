/**
 * A graph's machine as JSON: the configuration of XState's `createMachine`, as its editors export it, and the task of
 * each `src`. This is its reading: every reason to reject one, and a copy that has only what is known.
 *
 * JSON has no code. Its guards and actions would be names without a meaning, and nothing sends it events, so they are
 * rejected: a condition is a task (`Task.Evaluate.Condition`) with `onDone` and `onError`.
 */
import { type Static, Type } from 'typebox';
import type { Violation } from '../define/errors.ts';
import { isObject, type JsonObject } from '../define/json.ts';
import { pathOfKey } from '../define/json-pointer.ts';
import { isOneOf } from '../define/one-of.ts';
import { validator } from '../validation/validator.ts';
import { rejectDefinition, shown } from './rejection.ts';
import { UNKNOWN_KEY } from './schema.ts';
import { reservedLabels } from './types.ts';

export const STATES_LIMIT = 500;
const DEPTH_LIMIT = 20;
/** ms; longer than any wait, and shorter than a number that timers cannot hold. */
const AFTER_PATTERN = /^\d{1,12}$/;

/** The actions of a machine from JSON: those of the ends of its tasks. */
export const KEEP_OUTPUT = 'keepOutput';
export const KEEP_ERROR = 'keepError';

const Name = Type.String({ minLength: 1, maxLength: 256 });
const Free = Type.Record(Type.String(), Type.Unknown());

const Shape = Type.Object(
  {
    friendlyName: Name,
    injectableName: Type.String({ pattern: '^Graph\\..', maxLength: 256 }),
    options: Type.Optional(Type.Record(Type.String(), Free)),
    machine: Free,
    tasks: Type.Record(Name, Name, { minProperties: 1, maxProperties: STATES_LIMIT }),
  },
  { additionalProperties: false },
);

export type MachineJson = Static<typeof Shape>;

/** A configuration that has been read. */
export type MachineConfig = Record<string, unknown>;

/** Whether a definition is meant to be a machine, so that its violations are those of one. */
export const isMachineJson = (json: unknown): boolean => isObject(json) && 'machine' in json;

/** @throws Rejection with every violation that can be found without the tasks */
export function readMachineJson(put: unknown): { json: MachineJson; config: MachineConfig } {
  if (!validator.accepts(Shape, put)) throw rejectDefinition('a graph', validator.violations(Shape, put, UNKNOWN_KEY));
  const reading = new Reading(put);
  const config = reading.root();
  if (reading.violations.length > 0) throw rejectDefinition('a graph', reading.violations);
  return { json: put, config };
}

const TYPES = ['atomic', 'compound', 'parallel', 'final', 'history'] as const;
/** Kept as they are; XState checks their values when it makes the machine. */
const TEXTS = ['id', 'initial', 'history', 'target'] as const;
/** Read below. */
const PARTS = ['type', 'tags', 'states', 'after', 'always', 'invoke', 'onDone', 'output'] as const;
/** For people, and for editors. */
const NOTES = ['description', 'meta', '$schema', 'version', 'types', 'key'];
const CODE = 'a machine as JSON has no code; use Task.Evaluate.Condition with onDone and onError, or a file';
const EVENTS = 'only ends of tasks (onDone, onError) and timers (after) reach a graph';

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

class Reading {
  readonly violations: Violation[] = [];
  readonly #json: MachineJson;
  readonly #invoked = new Map<string, string>();
  #count = 0;

  constructor(json: MachineJson) {
    this.#json = json;
  }

  root(): MachineConfig {
    const { machine, tasks, injectableName } = this.#json;
    const { context = {}, ...root } = machine;
    const config = this.#state(root, 'machine', 0);
    if (!isObject(context)) this.#reject('machine.context', `found ${shown(context)}, expected an object`);
    for (const src of Object.keys(tasks)) {
      const path = pathOfKey('tasks', src);
      if (reservedLabels.includes(src)) this.#reject(path, `found '${src}', which is reserved; expected another src`);
      if (!this.#invoked.has(src)) this.#reject(path, 'is not the src of an invoke');
      if (isObject(context) && (Object.hasOwn(context, src) || src === 'error')) {
        this.#reject(path, `found '${src}', which the context has; it keeps the output of each src under its name`);
      }
    }
    return { id: injectableName, ...config, context: { ...(isObject(context) && context), error: null } };
  }

  #reject(path: string, message: string): void {
    this.violations.push({ path, message });
  }

  #state(state: unknown, path: string, depth: number): MachineConfig {
    if (!isObject(state)) {
      this.#reject(path, `found ${shown(state)}, expected a state`);
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
      this.#reject(`${path}.type`, `found ${shown(type)}, expected one of ${TYPES.join(', ')}`);
    const labels = [tags ?? []].flat();
    if (labels.some((tag) => typeof tag !== 'string'))
      this.#reject(`${path}.tags`, `found ${shown(tags)}, expected texts`);
    return {
      ...(type !== undefined && { type }),
      ...this.#texts(state, path),
      ...(labels.length > 0 && { tags: labels }),
      ...(output !== undefined && { output }),
      ...(!isEmpty(states) && { states: this.#children(states, `${path}.states`, depth) }),
      ...(!isEmpty(after) && { after: this.#after(after, `${path}.after`) }),
      ...(!isEmpty(always) && { always: this.#transitions(always, `${path}.always`) }),
      ...(!isEmpty(invoke) && { invoke: this.#invokes(invoke, `${path}.invoke`) }),
      ...(!isEmpty(onDone) && { onDone: this.#transitions(onDone, `${path}.onDone`) }),
    };
  }

  #checkKeys(state: JsonObject, path: string): void {
    for (const [key, value] of Object.entries(state)) {
      if (isOneOf([...TEXTS, ...PARTS], key) || NOTES.includes(key) || isEmpty(value)) continue;
      const at = pathOfKey(path, key);
      if (key === 'entry' || key === 'exit') this.#reject(at, `found actions, expected none: ${CODE}`);
      else if (key === 'on') this.#reject(at, `found events, expected none: ${EVENTS}`);
      else this.#reject(at, UNKNOWN_KEY);
    }
  }

  #texts(state: JsonObject, path: string): MachineConfig {
    const found = TEXTS.filter((key) => state[key] !== undefined);
    for (const key of found) {
      if (typeof state[key] !== 'string') this.#reject(`${path}.${key}`, `found ${shown(state[key])}, expected a text`);
    }
    return Object.fromEntries(found.map((key) => [key, state[key]]));
  }

  #children(states: unknown, path: string, depth: number): MachineConfig {
    if (!isObject(states)) {
      this.#reject(path, `found ${shown(states)}, expected an object of states`);
      return {};
    }
    return Object.fromEntries(
      Object.entries(states).map(([key, state]) => {
        const at = pathOfKey(path, key);
        // Dots separate the keys of a target; the others are names of prototypes.
        if (/[.#]/.test(key) || key === '' || reservedLabels.includes(key))
          this.#reject(at, `found '${key.slice(0, 40)}', expected a name without dots that is not reserved`);
        return [key, this.#state(state, at, depth + 1)];
      }),
    );
  }

  #after(after: unknown, path: string): MachineConfig {
    if (!isObject(after)) {
      this.#reject(path, `found ${shown(after)}, expected an object of ms and transitions`);
      return {};
    }
    return Object.fromEntries(
      Object.entries(after).map(([ms, given]) => {
        if (!AFTER_PATTERN.test(ms)) this.#reject(pathOfKey(path, ms), `found '${ms.slice(0, 40)}', expected ms`);
        return [ms, this.#transitions(given, pathOfKey(path, ms))];
      }),
    );
  }

  /** @param action of the first one, which is taken: none has a guard */
  #transitions(given: unknown, path: string, action?: string): MachineConfig[] {
    return [given ?? {}].flat().map((one: unknown, index) => {
      const at = Array.isArray(given) ? `${path}.${index}` : path;
      const transition = typeof one === 'string' ? { target: one } : one;
      if (!isObject(transition)) {
        this.#reject(at, `found ${shown(one)}, expected a target, or an object with one`);
        return {};
      }
      const { target, reenter } = transition;
      for (const [key, value] of Object.entries(transition)) {
        if (['target', 'reenter', ...NOTES].includes(key) || isEmpty(value)) continue;
        const isCode = ['guard', 'cond', 'actions'].includes(key);
        this.#reject(pathOfKey(at, key), isCode ? `found ${shown(value)}, expected none: ${CODE}` : UNKNOWN_KEY);
      }
      const targets = [target ?? []].flat();
      if (targets.some((each) => typeof each !== 'string'))
        this.#reject(`${at}.target`, `found ${shown(target)}, expected the name of a state`);
      return {
        ...(targets.length > 0 && { target: targets }),
        ...(reenter === true && { reenter }),
        ...(action !== undefined && { actions: action }),
      };
    });
  }

  #invokes(given: unknown, path: string): MachineConfig[] {
    return [given].flat().map((invoke: unknown, index) => {
      const at = Array.isArray(given) ? `${path}.${index}` : path;
      if (!isObject(invoke)) {
        this.#reject(at, `found ${shown(invoke)}, expected an object with src`);
        return {};
      }
      const { src, input, onDone, onError, id: _, ...more } = invoke;
      for (const [key, value] of Object.entries(more))
        if (!NOTES.includes(key) && !isEmpty(value)) this.#reject(pathOfKey(at, key), UNKNOWN_KEY);
      if (typeof src !== 'string' || !Object.hasOwn(this.#json.tasks, src)) {
        this.#reject(`${at}.src`, `found ${shown(src)}, expected one of tasks`);
        return {};
      }
      const other = this.#invoked.get(src);
      if (other !== undefined) this.#reject(`${at}.src`, `found '${src}' also in ${other}; expected one state per src`);
      this.#invoked.set(src, at);
      return {
        src,
        id: src,
        ...(input !== undefined && { input }),
        onDone: this.#transitions(onDone, `${at}.onDone`, KEEP_OUTPUT),
        ...(onError !== undefined && { onError: this.#transitions(onError, `${at}.onError`, KEEP_ERROR) }),
      };
    });
  }
}
