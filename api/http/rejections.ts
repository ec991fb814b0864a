/** Errors that several routes share, and those that need more than a code. */
import type { Engine, NodeRecord } from '../../engine/api-port/index.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';

/** Answered with exactly `{ message }`, as the interface document specifies. */
export class UnauthorizedError extends NodewrightError {
  constructor(message: 'Invalid username or password' | 'invalid signature' | 'No auth token') {
    super('UNAUTHORIZED', message);
  }
}

/** A Redfish request without a valid session: answered with exactly `{}`. */
export class NoSession extends NodewrightError {
  constructor() {
    super('UNAUTHORIZED', 'no session');
  }
}

/** Wrong credentials for a Redfish session: answered with plain text. */
export class WrongCredentials extends NodewrightError {
  constructor() {
    super('UNAUTHORIZED', 'Invalid username or password');
  }
}

export class TooManyRequests extends NodewrightError {
  /** Seconds. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super('TOO_MANY_REQUESTS', message);
    this.retryAfter = retryAfter;
  }
}

/** Many senders at the same time cause it, so it is logged as other requests are. */
export class OverloadError extends NodewrightError {
  constructor() {
    super('UNAVAILABLE', 'More requests of nodes have come than the daemon can handle; retry later');
  }
}

/** The user lacks a privilege. */
export class MissingPrivilege extends NodewrightError {
  readonly requiredPrivileges: readonly Privilege[];
  /** Where they have to count; users without bindings to teams have their rights everywhere. */
  readonly place: string;
  /** Whether any one of them is not sufficient. */
  readonly needsAll: boolean;

  constructor(
    required: readonly Privilege[],
    { place = 'on the whole site', needsAll = false }: { place?: string; needsAll?: boolean } = {},
  ) {
    super('FORBIDDEN', 'Forbidden');
    this.requiredPrivileges = required;
    this.place = place;
    this.needsAll = needsAll;
  }
}

export class MethodNotAllowed extends NodewrightError {
  readonly allow: readonly string[];

  constructor(method: string, allow: readonly string[]) {
    super('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow.join(', ')}`);
    // HEAD is answered as GET is.
    this.allow = allow.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each));
  }
}

export const noNode = (identifier: string) =>
  new NodewrightError('NOT_FOUND', `Could not find node with identifier ${identifier}`);
export const noWorkflow = (id: string) => new NodewrightError('NOT_FOUND', `Could not find workflow ${id}`);
export const noRole = (name: string) => new NodewrightError('NOT_FOUND', `Could not find role ${name}`);
export const noUser = (name: string) => new NodewrightError('NOT_FOUND', `Could not find user ${name}`);

/** @throws NodewrightError NOT_FOUND */
export const nodeNamed = async (engine: Engine, identifier = ''): Promise<NodeRecord> =>
  requireFound(await engine.nodes.find(identifier), () => noNode(identifier));

/** Like `nodeNamed`, but reads less. @throws NodewrightError NOT_FOUND */
export const nodeIdNamed = async (engine: Engine, identifier = ''): Promise<string> =>
  requireFound(await engine.nodes.idOf(identifier), () => noNode(identifier));

/**
 * The same for a launch or a notification, which the actor of a removed node rejects: a node with a recent step is not read.
 * @throws NodewrightError NOT_FOUND
 */
export const actorNamed = async (engine: Engine, identifier = ''): Promise<string> =>
  requireFound(await engine.launches.nodeIdOf(identifier), () => noNode(identifier));

/** Returns the value. @throws the error that `rejection` creates, when it is undefined */
export function requireFound<T>(value: T | undefined, rejection: () => NodewrightError): T {
  if (value === undefined) throw rejection();
  return value;
}

/** @param origin as in a call. @throws NodewrightError INVALID */
export const requireOrigin = (origin: string | undefined): string =>
  requireFound(origin, () => invalidInput('Host', 'must be a name or address with an optional port'));
