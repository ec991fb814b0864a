/** The form of an entry in the list of errors. */

/** The consequence of an error for the client. */
export const consequences = {
  rejected: { title: 'Rejected', means: 'The request was rejected; nothing was changed.' },
  later: { title: 'Try again later', means: 'Nothing was done. The same request or attempt may succeed later.' },
  ended: {
    title: 'Failed',
    means: 'A task failed, and usually its workflow too. A retry fails again until the cause is fixed.',
  },
  unknown: {
    title: 'Outcome unknown',
    means: 'A command may have taken effect. Check the node before you repeat anything.',
  },
  suspended: {
    title: 'Suspended',
    means: 'The workflow is suspended and keeps its node until a user acts or the cause is resolved.',
  },
  start: { title: 'Startup failed', means: 'The daemon does not start.' },
  fault: { title: 'Internal error', means: 'The log has the details.' },
} as const;

export type Consequence = keyof typeof consequences;

export interface ErrorMeaning {
  /** HTTP status of a response with this code; 500 if the code occurs only in records and logs. */
  status: number;
  consequence: Consequence;
  /** When the error occurs. */
  when: string;
  /** How to resolve it. */
  help: string;
}
