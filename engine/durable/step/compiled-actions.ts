/**
 * The actions and guards of a compiled machine (`compiled.ts`), resolved once: XState resolves them again in each step.
 */
import type { AnyStateMachine, AnyStateNode, EventObject } from 'xstate';
import { copyOf } from '../../platform/lib/copy.ts';
import type { Action } from './pure.ts';

/** A machine between two stored snapshots. */
export interface RunningStep {
  context: unknown;
  event: EventObject;
  /** Its actions so far. */
  readonly actions: Action[];
  /** Its events to itself. */
  readonly raised: EventObject[];
}

export type CompiledAction = (running: RunningStep) => void;
export type GuardTest = (running: RunningStep) => boolean;

interface Args {
  context: unknown;
  event: EventObject;
}
type Expression = (args: Args, params?: unknown) => unknown;

/** An action or a guard in the form that XState keeps it: a name, a name with parameters, or a function. */
type DeclaredAction = string | Expression | { type: string; params?: unknown };

/** One of XState's own actions: a function with its settings as properties. */
interface BuiltIn {
  type: string;
  assignment?: Expression | Record<string, unknown>;
  collect?: (args: Args & { enqueue: Enqueue }, params: unknown) => void;
  event?: EventObject | Expression;
  id?: string | Expression;
  delay?: string | number | Expression;
  sendId?: string | Expression;
  value?: unknown;
}

interface Enqueue {
  (action: DeclaredAction): void;
  assign(assignment: BuiltIn['assignment']): void;
  spawnChild(src: string, options: { id: string; input?: unknown }): void;
}

/** The machine uses something that only XState interprets. */
export class NotCompiled extends Error {}

const argsOf = ({ context, event }: RunningStep): Args => ({ context, event });

const evaluate = (given: unknown, running: RunningStep, params?: unknown): unknown =>
  typeof given === 'function' ? (given as Expression)(argsOf(running), params) : given;

const nameOf = (declared: Exclude<DeclaredAction, Expression>): string =>
  typeof declared === 'string' ? declared : declared.type;
const paramsOf = (declared: DeclaredAction): unknown => (typeof declared === 'object' ? declared.params : undefined);

export function guardOf({ implementations }: AnyStateMachine, declared: unknown): GuardTest {
  const guard = declared as DeclaredAction;
  const found = typeof guard === 'function' ? guard : implementations.guards[nameOf(guard)];
  if (typeof found !== 'function' || 'check' in found) throw new NotCompiled();
  const params = paramsOf(guard);
  return (running) => Boolean((found as Expression)(argsOf(running), evaluate(params, running)));
}

export function compiledAction(machine: AnyStateMachine, declared: unknown): CompiledAction {
  const action = declared as DeclaredAction;
  const found: unknown = typeof action === 'function' ? action : machine.implementations.actions[nameOf(action)];
  const params = paramsOf(action);
  if (typeof found === 'function' && 'resolve' in found) return builtIn(machine, found as unknown as BuiltIn, params);
  // The engine runs no function of a machine: it reads the names of its actions.
  const type = typeof action === 'function' ? action.name || '(anonymous)' : nameOf(action);
  return (running) => running.actions.push({ type, params: evaluate(params, running) });
}

function builtIn(machine: AnyStateMachine, action: BuiltIn, params: unknown): CompiledAction {
  switch (action.type) {
    case 'xstate.assign':
      return (running) => assign(running, action.assignment, evaluate(params, running));
    case 'xstate.raise':
      return raise(machine, action);
    case 'xstate.cancel':
      return (running) =>
        running.actions.push({ type: action.type, params: { sendId: evaluate(action.sendId, running) } });
    case 'xstate.log':
      return (running) =>
        running.actions.push({ type: action.type, params: { value: evaluate(action.value, running) } });
    case 'xstate.enqueueActions':
      return (running) => collect(machine, running, action, evaluate(params, running));
    default:
      throw new NotCompiled();
  }
}

function assign(running: RunningStep, assignment: BuiltIn['assignment'], params: unknown): void {
  const changed: Record<string, unknown> = copyOf(running.context as Record<string, unknown>);
  if (typeof assignment === 'function') Object.assign(changed, assignment(argsOf(running), params));
  else for (const [key, value] of Object.entries(assignment ?? {})) changed[key] = evaluate(value, running, params);
  running.context = changed;
}

/** A raise without a delay is an event of the same step. */
function raise({ implementations }: AnyStateMachine, { type, event, id, delay }: BuiltIn): CompiledAction {
  const set = typeof delay === 'string' ? implementations.delays[delay] : delay;
  return (running) => {
    const raised = evaluate(event, running) as EventObject;
    const after = evaluate(set, running);
    if (typeof after !== 'number') running.raised.push(raised);
    else running.actions.push({ type, params: { id: evaluate(id, running), delay: after, event: raised } });
  };
}

/** With the parameters that the interpreter reads. */
const spawn = (running: RunningStep, id: string, src: unknown, input: unknown): void => {
  running.actions.push({ type: 'xstate.spawnChild', params: { id, src, input: evaluate(input, running) } });
};

export const spawnOf =
  ({ id, src, input }: { id: string; src: unknown; input?: unknown }): CompiledAction =>
  (running) =>
    spawn(running, id, src, input);

/** The output of a final state, or of the machine. */
export const outputOf = ({ output }: AnyStateNode, running: RunningStep, event: EventObject): unknown =>
  evaluate(output, { ...running, event });

/** @param final the state whose end is that of `node`; its output is that of the event */
export const doneEvent = (
  node: AnyStateNode,
  running: RunningStep,
  final = node,
): EventObject & { output: unknown } => ({
  type: `xstate.done.state.${node.id}`,
  output: outputOf(final, running, running.event),
});

/** The actions are run after all of them are known, as in XState. */
function collect(machine: AnyStateMachine, running: RunningStep, action: BuiltIn, params: unknown): void {
  const actions: CompiledAction[] = [];
  const enqueue: Enqueue = Object.assign(
    (declared: DeclaredAction) => void actions.push(compiledAction(machine, declared)),
    {
      assign: (assignment: BuiltIn['assignment']) => void actions.push((at) => assign(at, assignment, undefined)),
      spawnChild: (src: string, { id, input }: { id: string; input?: unknown }) =>
        void actions.push((at) => spawn(at, id, src, input)),
    },
  );
  action.collect?.({ ...argsOf(running), enqueue }, params);
  for (const action of actions) action(running);
}
