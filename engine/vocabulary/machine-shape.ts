/** A graph as JSON, for drawing: the records of `library/forms/machine-view.ts`, which clients read too. */
export interface TransitionView {
  /** '' for one without an event. */
  event: string;
  /** Paths of states; empty: the state stays. */
  targets: string[];
  /** The name of its guard, or `inline`; null: none. */
  guard: string | null;
}

export interface StateView {
  /** The keys from the root; the root has none. */
  path: string[];
  type: string;
  /** The key of the child that is entered with it; null: none. */
  initial: string | null;
  tags: string[];
  invokes: { id: string; label: string; taskName: string | null }[];
  transitions: TransitionView[];
  states: StateView[];
}

export interface MachineView {
  graph: string;
  definitionHash: string;
  kind: 'machine' | 'list';
  root: StateView;
  tasks: { label: string; taskName: string; waitsFor: string[] }[];
}
