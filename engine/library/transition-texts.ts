/** The transitions of a state in words, for diagrams. */
import { grouped } from '../lib/grouped.ts';
import type { StateView } from './machine-view.ts';

export interface TransitionText {
  /** Paths of states. */
  targets: string[];
  text: string;
}

/** Returns those that lead to a state; several of one event are numbered. */
export function transitionTexts(state: StateView): TransitionText[] {
  const targeted = state.transitions.filter(({ targets }) => targets.length > 0);
  return grouped(targeted, ({ event }) => event).flatMap(([event, all]) =>
    all.map(({ targets, guard }, index) => {
      const number = all.length > 1 ? `${index + 1}. ` : '';
      const condition = guard === null ? '' : ` [${guard === 'inline' ? 'condition' : guard}]`;
      return { targets, text: `${number}${eventText(event, state)}${condition}` };
    }),
  );
}

/** XState's names of its own events, in words. */
function eventText(event: string, { invokes }: StateView): string {
  if (event === '') return 'at once';
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(event) ?? [];
  if (delay !== undefined) return `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}`;
  if (event.startsWith('xstate.done.state.')) return 'done';
  const [, kind, actor = ''] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? [];
  if (kind === undefined) return event;
  const { label = actor } = invokes.find(({ id }) => id === actor) ?? {};
  return `${label} ${kind === 'done' ? 'done' : 'failed'}`;
}
