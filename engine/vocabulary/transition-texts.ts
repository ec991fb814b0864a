/** The transitions of a state in words, for diagrams. */
import type { StateView } from './machine-shape.ts';

export interface TransitionText {
  /** Paths of states. */
  targets: string[];
  text: string;
  /** It is taken when a task has failed. */
  isFailure: boolean;
}

/** Returns those that lead to a state; several of one event are numbered. */
export function transitionTexts(state: StateView): TransitionText[] {
  const targeted = state.transitions.filter(({ targets }) => targets.length > 0);
  return targeted.map((transition) => {
    const { targets, event, guard } = transition;
    const same = targeted.filter((other) => other.event === event);
    const number = same.length > 1 ? `${same.indexOf(transition) + 1}. ` : '';
    const condition = guard === null ? '' : ` [${guard === 'inline' ? 'condition' : guard}]`;
    const isFailure = event.startsWith('xstate.error.');
    return { targets, text: `${number}${eventText(event, state)}${condition}`, isFailure };
  });
}

/** XState's names of its own events, in words. */
function eventText(event: string, { invokes }: StateView): string {
  if (event === '') return 'immediately';
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(event) ?? [];
  if (delay !== undefined) return `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}`;
  if (event.startsWith('xstate.done.state.')) return 'done';
  const [, kind, actor = ''] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? [];
  if (kind === undefined) return event;
  const { label = actor } = invokes.find(({ id }) => id === actor) ?? {};
  return `${label} ${kind === 'done' ? 'done' : 'failed'}`;
}
