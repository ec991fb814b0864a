/** Errors with a code from `error-codes.ts`. The message says what was found, what was expected and what to do. */
import { withoutNonces } from './callback.ts';
import { type AuthorCode, type ErrorCode, errorMeanings } from './error-codes.ts';
import { fieldOf, messageOf } from './thrown-values.ts';

export type { ErrorCode } from './error-codes.ts';

/** A violation in an input: where (a path such as `options.erase.disks.0`) and what. */
export interface Violation {
  path: string;
  message: string;
}

/** Maximum violations that an error reports: each of a thousand labels can have one. */
export const VIOLATIONS_LIMIT = 100;

/** An error with a stable code. `violations` become `errors` in an API response. */
export class NodewrightError extends Error {
  override readonly name = 'NodewrightError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly violations: readonly Violation[] | undefined;

  constructor(code: ErrorCode, message: string, options: { violations?: readonly Violation[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = errorMeanings[code].status;
    this.violations = options.violations?.slice(0, VIOLATIONS_LIMIT);
  }
}

/** Whether it is about what was requested. Others are failures of the daemon or its stores, which may recover. */
export const isRejection = (error: unknown): error is NodewrightError =>
  error instanceof NodewrightError && error.status < 500;

/** Events after the requested position have been removed from the log, or the log has never assigned it. */
export class EventsGone extends NodewrightError {
  readonly oldest: number;

  /** @param oldest the position from which events are kept */
  constructor(after: number, oldest: number) {
    super(
      'EVENTS_GONE',
      `the log has events from ${oldest} on; those after ${after} were removed, or no event had this position yet`,
    );
    this.oldest = oldest;
  }
}

interface ReportedError {
  /** The start of the message, such as `Invalid body:`. */
  about?: string;
  /** Default: INVALID. */
  code?: ErrorCode;
}

/** Returns `options.a is missing`. */
export const sentenceOf = ({ path, message }: Violation): string => `${path === '' ? 'it' : path} ${message}`;

/** An error for violations; its message names the first: `Invalid body: options.a is missing`. */
export function violationError(violations: readonly Violation[], { about, code = 'INVALID' }: ReportedError = {}) {
  const [first = { path: '', message: 'is not valid' }] = violations;
  const sentence = sentenceOf(first);
  return new NodewrightError(code, about === undefined ? sentence : `${about} ${sentence}`, { violations });
}

/** An error for one violation at `path`. */
export const invalidInput = (path: string, message: string) => violationError([{ path, message }]);

/** @throws NodewrightError INVALID that names the first violation, if there is one */
export function rejectViolations(violations: readonly Violation[]): void {
  if (violations.length > 0) throw violationError(violations);
}

/** For `catch`: the violations of a part get their place in the whole. @throws the error, with these paths */
export const rethrowUnder =
  (prefix: string) =>
  (error: unknown): never => {
    if (!(error instanceof NodewrightError) || error.violations === undefined) throw error;
    const violations = error.violations.map(({ path, message }) => ({ path: `${prefix}.${path}`, message }));
    throw violationError(violations, { code: error.code });
  };

/** Returns all violations in one text: `options.a: is missing; options.b: must be integer`. */
export const violationList = (violations: readonly Violation[]): string =>
  violations
    .slice(0, VIOLATIONS_LIMIT)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');

/** Thrown by an activity if another attempt cannot help: the task run fails immediately, whatever its retry policy. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
  readonly code: ErrorCode | AuthorCode;
  readonly retry = false;

  constructor(message: string, code: ErrorCode | AuthorCode = 'TASK_FAILED') {
    super(message);
    this.code = code;
  }
}

/**
 * Thrown by an activity that has carried out nothing: the one error after which a retry policy of a graph also repeats a
 * `once` task.
 */
export class NothingDoneError extends Error {
  override readonly name = 'NothingDoneError';
  readonly code: ErrorCode | AuthorCode;
  readonly nothingDone = true;

  constructor(message: string, code: ErrorCode | AuthorCode = 'TASK_FAILED', options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** A compensation that did not succeed. */
export interface CompensationError {
  /** The label of the compensation. */
  label: string;
  code: string;
  message: string;
}

/** An error as plain data, for snapshots and records. JSON would turn an `Error` in a snapshot into `{}`. */
export interface FlatError {
  name: string;
  message: string;
  code: string;
  /** Absent: another attempt may help. */
  retry?: false;
  /** A command was sent and may have been executed. */
  sent?: true;
  /** The activity has carried out nothing: even a `once` task may be attempted again. */
  nothingDone?: true;
  /** Compensations of the workflow that did not succeed. */
  compensations?: readonly CompensationError[];
  /** OBM_CIRCUIT_OPEN only, ISO 8601: an earlier attempt would fail, so the task run waits and does not count the attempt. */
  backoffUntil?: string;
}

const CIRCUIT_OPEN: ErrorCode = 'OBM_CIRCUIT_OPEN';

/** The longest message that is stored; a child process can produce megabytes. */
const MESSAGE_LIMIT = 4_096;

/** Converts any thrown value to plain data. Stacks go to the log, never to a record. */
export function flatten(thrown: unknown, code = 'TASK_FAILED'): FlatError {
  const field = (key: string): unknown => fieldOf(thrown, key);
  const [name, ownCode, backoffUntil] = [field('name'), field('code'), field('backoffUntil')];
  const flat: FlatError = {
    name: typeof name === 'string' ? name : 'Error',
    message: withoutNonces(messageOf(thrown)).slice(0, MESSAGE_LIMIT),
    code: typeof ownCode === 'string' ? ownCode : code,
  };
  return {
    ...flat,
    ...(field('retry') === false && { retry: false }),
    ...(field('sent') === true && { sent: true }),
    ...(field('nothingDone') === true && { nothingDone: true }),
    ...(flat.code === CIRCUIT_OPEN && typeof backoffUntil === 'string' && { backoffUntil }),
  };
}
