/** The port of the API to tickets: a second person approves a plan before it is launched. */
import { type Static, Type } from 'typebox';
import type { Privilege } from '../vocabulary/roles.ts';
import { type TicketStatus, ticketStatuses } from '../vocabulary/states.ts';
import type { Page, PagedList } from './page.ts';
import type { RolloutRequest } from './rollouts.ts';
import { anyObject, orNull, owningTeam, time, words } from './schemas.ts';
import type { LaunchRequest } from './workflows.ts';

const ticketKinds = ['launch', 'batch', 'rollout'] as const;
const commands = ['approve', 'reject', 'withdraw'] as const;
const NOTE_LENGTH = 1_000;

export const ticketAction = Type.Object(
  {
    command: words(commands),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: NOTE_LENGTH })),
  },
  { additionalProperties: false },
);

const user = orNull(Type.String());
const decision = Type.Object({ by: user, at: time, note: orNull(Type.String()) }, { title: 'TicketDecision' });

const subject = Type.Object({
  node: Type.String(),
  name: user,
  drives: Type.Array(Type.Object({ name: Type.String(), serial: orNull(Type.String()) }), {
    description: 'those whose content is destroyed',
  }),
});

export const ticketRecord = Type.Object(
  {
    id: Type.String(),
    kind: words(ticketKinds),
    graph: Type.String(),
    status: Type.Unsafe<TicketStatus>(words(ticketStatuses)),
    plan: Type.Unsafe<Record<string, unknown>>({
      ...anyObject,
      description: 'of the launch, or of the rollout or batch',
    }),
    planHash: Type.String({ description: 'of versions, options, nodes and drives' }),
    subjects: Type.Array(subject),
    needed: Type.Object(
      { approvals: Type.Integer(), roles: Type.Array(Type.String()) },
      { description: 'Users with ConfigureManager or one of these roles' },
    ),
    requestedBy: user,
    approvals: Type.Array(decision),
    rejection: orNull(decision),
    usedBy: orNull(Type.String({ description: '`workflows/<id>`, `batches/<id>` or `rollouts/<id>`' })),
    createdBy: user,
    owner: Type.Optional(owningTeam),
    createdAt: time,
    updatedAt: time,
    expiresAt: time,
  },
  { title: 'Ticket' },
);

export const ticketGrant = Type.Object(
  { id: Type.String(), requestedBy: user, approvals: Type.Array(decision) },
  { description: 'The ticket under which it started; null: it needed none' },
);

export type TicketKind = (typeof ticketKinds)[number];
export type TicketRecord = Static<typeof ticketRecord>;
export type TicketAction = Static<typeof ticketAction>;

/** The user of a request; null: unknown. */
export interface TicketActor {
  username: string | null;
  tokenId: string | null;
}

/** `batch`: a launch on many nodes, planned as a rollout of one phase. */
export type TicketRequest = { launch: LaunchRequest } | { rollout: RolloutRequest } | { batch: RolloutRequest };

export interface Tickets {
  /** @throws NodewrightError as the launch or the rollout, DRIVE_SERIAL_UNKNOWN, TOO_MANY_REQUESTS; nothing is stored then */
  create(request: TicketRequest, by: TicketActor): Promise<TicketRecord>;
  get(id: string): Promise<TicketRecord | undefined>;
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<TicketRecord>>;
  /**
   * @throws NodewrightError CONFLICT with its status where the command makes no sense; FORBIDDEN for an approval by the requester,
   *   and a withdrawal by another user
   * @returns undefined if there is no such ticket
   */
  act(id: string, action: TicketAction, by: TicketActor): Promise<TicketRecord | undefined>;
}

/** Allows to approve and reject any ticket. */
export const approvers: readonly Privilege[] = ['ConfigureManager'];
