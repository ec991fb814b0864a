/**
 * Every error that a person or a program outside can see, by its code. A code is stable; `api/ERRORS.md` is made of this
 * list. Authors of graphs and tasks may have codes of their own, which begin with `X_`.
 */

/** The consequence of an error for whoever gets it. */
export const consequences = {
  refused: { title: 'Refused', means: 'The request is refused; nothing was changed.' },
  later: { title: 'Try again later', means: 'Nothing was done. The same request or attempt may succeed later.' },
  ended: {
    title: 'Failed',
    means: 'A task ended, and mostly its workflow too. Another attempt does not help before something is changed.',
  },
  unknown: {
    title: 'Outcome unknown',
    means: 'A command may have taken effect. Look at the machine before anything is repeated.',
  },
  held: {
    title: 'Held',
    means: 'The workflow makes no progress and keeps its node, until a user acts or the cause is gone.',
  },
  start: { title: 'No start', means: 'The daemon does not start.' },
  fault: { title: 'Fault of the daemon', means: 'The log says more.' },
} as const;

export type Consequence = keyof typeof consequences;

export interface ErrorMeaning {
  /** The HTTP status of an answer that ends with it; 500 where it is seen in records and logs alone. */
  status: number;
  consequence: Consequence;
  /** When it comes. */
  when: string;
  /** What helps. */
  help: string;
}

const as =
  (consequence: Consequence) =>
  (status: number, when: string, help: string): ErrorMeaning => ({ status, consequence, when, help });

const refused = as('refused');
const later = as('later');
const ended = as('ended');
const unknown = as('unknown');
const start = as('start');

const CHANGE = 'Correct what the message and `errors` name.';
const LOOK = 'Look at the machine, then launch again.';

export const errorMeanings = {
  INVALID: refused(400, 'An input has a value that it cannot have.', CHANGE),
  INVALID_DEFINITION: refused(400, 'A graph or task cannot be used.', CHANGE),
  INVALID_OPTIONS: refused(400, 'Options do not fit the schema of their task.', CHANGE),
  UNAUTHORIZED: refused(401, 'There is no token, or it does not count any more.', 'Log in again.'),
  FORBIDDEN: refused(
    403,
    'The role has none of the privileges, or the sender is not the node.',
    'Ask an Administrator.',
  ),
  NOT_FOUND: refused(404, 'The record, path or definition does not exist.', 'Check the name or the id.'),
  METHOD_NOT_ALLOWED: refused(405, 'The path has no such method.', 'Use one that `Allow` names.'),
  CONFLICT: refused(409, 'The request contradicts the state of the record.', 'Read the record, then decide.'),
  NODE_BUSY: refused(409, 'Another workflow is active on the node.', 'Wait for it, or cancel it.'),
  WORKFLOW_ACTIVE: refused(409, 'The workflow has not ended.', 'Cancel it first.'),
  WORKFLOW_ENDED: refused(409, 'The workflow has ended.', 'Launch it again.'),
  DUPLICATE: refused(409, 'Another record has the name.', 'Choose another name.'),
  TOO_MANY_CHILDREN: refused(
    409,
    'A tree of child workflows would be deeper or larger than `childGraphs` allows.',
    'Run fewer graphs, or raise the limit.',
  ),
  TOO_LARGE: refused(413, 'The body is longer than the limit.', 'Send less, or raise the limit.'),
  UNSUPPORTED_MEDIA_TYPE: refused(415, 'The body has another content type.', 'Send what the message names.'),
  TOO_MANY_REQUESTS: later(
    429,
    'A limit on requests, wrong passwords or quotas is reached.',
    'Wait for `Retry-After`.',
  ),
  MAILBOX_FULL: later(429, 'The node keeps as many notifications as it may.', 'Have the workflow take them first.'),
  UNAVAILABLE: later(
    503,
    'A store is away or full, or the daemon stops.',
    'Wait for `Retry-After`, look, then repeat.',
  ),

  TASK_FAILED: ended(500, 'A task failed and names no code of its own.', 'Read its message.'),
  TASK_TIMEOUT: ended(500, 'A call took longer than its `_taskTimeout`.', 'Look why, or give it more time.'),
  TASK_CANCELLED: ended(500, 'The call, or the workflow that it waited for, was cancelled.', 'Launch again.'),
  TASK_INTERRUPTED: unknown(500, 'The process that ran a `once` task died, and it is not known how far it came.', LOOK),
  TASK_ABANDONED: unknown(500, 'A task that was cancelled or timed out did not stop in time.', LOOK),
  GRAPH_FAILED: ended(500, 'A graph ended in a failed state, or a child workflow failed.', 'Read its tasks.'),
  TEMPLATE_VALUE_MISSING: ended(
    500,
    'A `{{ }}` names a value that does not exist.',
    'Give the value, or an alternative.',
  ),
  SECRET_UNREADABLE: ended(
    500,
    'A secret of the workflow was sealed with another key.',
    'Put the key of `secrets/values` back, or launch again with the secret.',
  ),
  CATALOG_UNTRUSTED: ended(500, 'A catalog came from a sender without a key.', 'Have a user or a keyed agent post it.'),
  CATALOG_REFUSED: ended(
    500,
    'A command printed what its catalog cannot be made of.',
    'Correct the command or its format.',
  ),
  COMMAND_FAILED: ended(500, 'A command ended with an exit code that is not accepted.', 'Read its output.'),
  COMMAND_NOT_ALLOWED: ended(500, 'A command is not in `shellCommands`.', 'Add it to the configuration if it may run.'),
  CONDITION_FALSE: ended(500, 'The condition of `Task.Evaluate.Condition` does not hold.', 'Nothing: it says so.'),
  NO_NODE: ended(500, 'A task needs a node, and its workflow has none.', 'Launch the graph on a node.'),
  BMC_UNKNOWN: ended(500, 'No catalog says where the BMC of the node is.', 'Discover the node, or post the catalog.'),
  DESTINATION_UNKNOWN: ended(500, 'It is not known where alerts are to be sent.', 'Set `servicePublicIp`, or name it.'),
  REST_STATUS: ended(500, 'A REST server answered with a status that is not accepted.', 'Read its answer.'),
  REST_NOT_JSON: ended(500, 'A REST answer says that it is JSON and is not.', 'Correct the server.'),
  REST_TOO_LARGE: ended(500, 'A REST answer is longer than the task keeps.', 'Ask for less.'),

  OBM_MISSING: refused(409, 'A task needs an obm, and the node has none.', 'Put one to `/nodes/:id/obm`.'),
  OBM_INVALID: ended(500, 'The config of the obm lacks something.', 'Put it again.'),
  OBM_REFUSED: ended(500, 'The BMC refuses the user or the command.', 'Correct the obm, or the BMC.'),
  OBM_UNSUPPORTED: ended(500, 'The BMC does not have the command.', 'Use another obm.'),
  OBM_UNREACHABLE: later(500, 'The BMC cannot be reached.', 'Check its address and network.'),
  OBM_RESTING: later(
    500,
    'The BMC gave no answer several times and is left alone until the time that it names.',
    'Wait.',
  ),
  OBM_BUSY: later(500, 'Too many commands wait for the BMC.', 'Wait.'),
  OBM_FAILED: later(500, 'The BMC answers that the command failed.', 'Try again; read its message.'),
  OBM_UNANSWERED: unknown(500, 'A command went out, and the BMC does not say what became of it.', LOOK),
  OBM_UNCHANGED: unknown(500, 'A command went out, and the node is not as it was asked to be.', LOOK),
  NODE_INTERLOCKED: refused(409, 'An erase needs the power of the node as it is.', 'Wait for its end.'),
  ERASE_REFUSED: ended(500, 'An erase was refused before any drive was touched.', CHANGE),
  ERASE_FAILED: ended(500, 'A drive could not be erased.', 'Read the certificate, then look at the drive.'),
  DRIVE_STATE_UNKNOWN: unknown(500, 'It is not known how far a drive is erased.', 'Look at the drive.'),

  DEFINITION_GONE: {
    status: 409,
    consequence: 'held',
    when: 'The version of the graph that the workflow started with is gone.',
    help: 'Bring it back, or cancel the workflow.',
  },

  QUARANTINED: {
    status: 409,
    consequence: 'held',
    when: 'The code of the graph or task held the daemon, or ended it.',
    help: 'Cancel the workflow, or release it once the cause is gone.',
  },

  CONFIG_INVALID: start(500, 'The configuration has a mistake.', 'Correct the key that the line names.'),
  DATA_DIR_LOCKED: start(500, 'Another process has the data directory.', 'Stop it, or set another `dataDir`.'),
  DATA_DIR_DAMAGED: start(500, 'The data directory is damaged, or of another version.', 'Restore a backup.'),
  INTERNAL: {
    status: 500,
    consequence: 'fault',
    when: 'Something that should not be.',
    help: 'Report it, with the log.',
  },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof errorMeanings;
/** Of an author outside this project. */
export type AuthorCode = `X_${string}`;
