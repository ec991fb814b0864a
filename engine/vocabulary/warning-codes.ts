/** The codes of warnings about graphs that are valid, with their meanings. */
export const warningMeanings = {
  NEVER_REACHED: 'no path leads to the state, or to the label',
  NO_END: 'the graph cannot end from this state',
  ENDS_AS_SUCCESS: 'only failures lead to the final state, and it has no tag `failed`',
  LAUNCH_FAILS: "each launch fails: by the graph's own code, its options, or because it runs itself endlessly",
  RUNS_ITSELF: 'the graph runs itself, by its own tasks or by other graphs; paths may end before',
  GRAPH_THROWS: "the graph's own code fails",
  NOT_PURE: "the graph's code reads the clock or random numbers",
  OUTPUT_UNKNOWN: "the graph's code needs an output of the label; its `examples` have none",
  EXAMPLE_INVALID: 'a launch rejects the options of an example',
  OPTION_REQUIRED: 'each launch has to give an option, because neither the graph nor one of its examples does',
  NO_TIMEOUT: 'the label waits, without a timeout of its own: 24 h',
  TEMPLATE_IN_INPUT: 'a function computes the options of the label, and a template in its text is not rendered',
  ONCE_WITHOUT_PROBE: 'after a crash the label ends as TASK_INTERRUPTED',
  NEEDS_OBM: 'a launch needs an obm of the node',
  EVENT_NEVER_SENT: 'the state waits for an event that nothing sends',
  ACTION_IS_STUB: 'the action is only drawn, and does nothing',
  GUARD_IS_STUB: 'the guard is only drawn, and always holds',
  GUARD_IS_ASYNC: 'the guard returns a promise, which always holds',
  NAME_NOT_PATH: 'the name of the graph does not agree with the path of its file',
  HAS_NO_EFFECT: 'a part of the definition has no meaning here',
  JOB_MISSING: 'the label has a job of RackHD that no task here does, and fails its workflow when it begins',
  NOT_EXPLORED: 'the graph has more configurations than were explored',
} as const;

export type WarningCode = keyof typeof warningMeanings;

/** Warnings that need no change: they say how a valid graph behaves. */
export const warningNotes: readonly WarningCode[] = ['ONCE_WITHOUT_PROBE', 'NEEDS_OBM', 'OPTION_REQUIRED'];

/** Warnings that are errors for `nw check`: a graph with one is valid, and does nothing. */
export const warningFailures: readonly WarningCode[] = ['LAUNCH_FAILS'];
