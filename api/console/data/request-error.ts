/** Errors of requests, in the daemon's words; those of the connection in ours. */
import type { Violation } from '../../../engine/vocabulary/errors.ts';

interface ErrorBody {
  message?: string;
  code?: string;
  requestId?: string;
  requiredPrivileges?: string[];
  errors?: Violation[];
  oldest?: number;
}

export class RequestError extends Error {
  /** 0: there was no answer. */
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly violations: readonly Violation[];
  /** Any one of these would do. */
  readonly requiredPrivileges: readonly string[];
  /** EVENTS_GONE only: the position of the oldest event. */
  readonly oldest: number | undefined;

  constructor(status: number, answer: unknown) {
    const body: ErrorBody = typeof answer === 'object' && answer !== null ? answer : {};
    super(body.message ?? (status === 0 ? 'The daemon does not answer' : `The daemon answered ${status}`));
    this.status = status;
    this.code = body.code;
    this.requestId = body.requestId;
    this.violations = body.errors ?? [];
    this.requiredPrivileges = body.requiredPrivileges ?? [];
    this.oldest = body.oldest;
  }
}
