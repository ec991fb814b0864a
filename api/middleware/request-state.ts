/** Facts about a request that its processing finds out, for its log line and its audit entry. */
import type { Context } from 'koa';
import type { Identity, RequestNotes } from '../http/route.ts';

export interface RequestState {
  requestId: string;
  /** The path pattern of the resource; undefined: no such path. */
  route?: string;
  /** The record that the request is about, such as `nodes/<id>`. */
  target?: string;
  /** The trace of the workflow that the answer shows. */
  traceId?: string | undefined;
  /** Whether the route belongs into the audit log. */
  isAudited?: boolean;
  /** Whether it changes nothing, whatever its method. */
  computes?: boolean;
  identity?: Identity;
  notes?: RequestNotes;
}

export const stateOf = (ctx: Context): RequestState => ctx.state as RequestState;

/** Returns the name of the user, also of one who logs in. */
export const userOf = ({ identity, notes }: RequestState): string | undefined => identity?.username ?? notes?.user;
