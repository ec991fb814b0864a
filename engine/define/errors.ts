/**
 * Every error that a person or a program outside can see has a code from this page. The code is stable; the message
 * says what was found, what was expected and what to do. Codes stand in groups by consequence.
 */

/** code: the HTTP status it becomes when an API call ends with it. */
export const errorCodes = {
  // The request is refused; nothing was changed.
  INVALID: 400,
  INVALID_DEFINITION: 400,
  INVALID_OPTIONS: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  NODE_BUSY: 409,
  WORKFLOW_ACTIVE: 409,
  WORKFLOW_ENDED: 409,
  DEFINITION_GONE: 409,
  QUARANTINED: 409,
  DUPLICATE: 409,
  TOO_MANY_CHILDREN: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_REQUESTS: 429,
  MAILBOX_FULL: 429,
  // The request may be sent again later.
  UNAVAILABLE: 503,
  // A call ends with one of these; they stand in a task's or a workflow's `error`.
  TASK_FAILED: 500,
  TASK_TIMEOUT: 500,
  TASK_CANCELLED: 500,
  TASK_INTERRUPTED: 500,
  TASK_ABANDONED: 500,
  GRAPH_FAILED: 500,
  TEMPLATE_VALUE_MISSING: 500,
  // The same, from an obm. Nothing was done to the node; another attempt cannot help before somebody changes something.
  OBM_MISSING: 500,
  OBM_INVALID: 500,
  OBM_REFUSED: 500,
  OBM_UNSUPPORTED: 500,
  // Nothing was done to the node; another attempt may help. OBM_RESTING says when.
  OBM_UNREACHABLE: 500,
  OBM_RESTING: 500,
  OBM_BUSY: 500,
  OBM_FAILED: 500,
  // The command went out; what became of it is not known, or not what was asked for.
  OBM_UNANSWERED: 500,
  OBM_UNCHANGED: 500,
  // The node's power is not to be touched at the moment; nothing was done to it.
  NODE_INTERLOCKED: 409,
  // The same, from an erase of drives. Refused: no drive was touched. Unknown: somebody has to look at the drive.
  ERASE_REFUSED: 500,
  ERASE_FAILED: 500,
  DRIVE_STATE_UNKNOWN: 500,
  // The daemon does not start.
  CONFIG_INVALID: 500,
  DATA_DIR_LOCKED: 500,
  DATA_DIR_DAMAGED: 500,
  // A fault of ours.
  INTERNAL: 500,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** One thing wrong with an input: where (a path such as `options.erase.disks.0`) and what. */
export interface Fault {
  path: string;
  message: string;
}

/** An error with a stable code. `faults` become `errors` in an API answer. */
export class NodewrightError extends Error {
  override readonly name = 'NodewrightError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly faults: readonly Fault[] | undefined;

  constructor(code: ErrorCode, message: string, options: { faults?: readonly Fault[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = errorCodes[code];
    this.faults = options.faults;
  }
}

/** One fault in the input, named by its path. */
export const invalid = (path: string, message: string) =>
  new NodewrightError('INVALID', `${path} ${message}`, { faults: [{ path, message }] });

/** @throws NodewrightError INVALID naming the first fault, when there is one */
export function refuseFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first !== undefined) throw new NodewrightError('INVALID', `${first.path} ${first.message}`, { faults });
}

/** Thrown by a task's act when another attempt cannot help: the call fails at once, whatever its retry policy says. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
  readonly code: string;
  readonly retry = false;

  constructor(message: string, code = 'TASK_FAILED') {
    super(message);
    this.code = code;
  }
}

/** An error as plain data: what is kept in snapshots and shown in records. An `Error` in a snapshot would become `{}`. */
export interface FlatError {
  name: string;
  message: string;
  code: string;
  /** Absent: another attempt may help. */
  retry?: false;
}

/** The longest message that is kept; a child process can put megabytes into one. */
const MESSAGE_LIMIT = 4_096;

/** Anything thrown, as plain data. Stacks stay out: they go to the log, never to a record. */
export function flatten(thrown: unknown, code = 'TASK_FAILED'): FlatError {
  const fields = (typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }) as Partial<
    FlatError & { retry: boolean }
  >;
  const flat: FlatError = {
    name: typeof fields.name === 'string' ? fields.name : 'Error',
    message: String(fields.message ?? '').slice(0, MESSAGE_LIMIT),
    code: typeof fields.code === 'string' ? fields.code : code,
  };
  return fields.retry === false ? { ...flat, retry: false } : flat;
}
