/** The port of the API to holds: reasons of users to leave a node alone. */
import { type Static, Type } from 'typebox';
import { holdBlocks, holdKinds } from '../vocabulary/states.ts';
import type { Page, PagedList } from './page.ts';
import { orNull, time, words } from './schemas.ts';

const REASON = 1_000;

const reason = Type.String({ minLength: 1, maxLength: REASON });
const until = orNull(Type.String({ format: 'date-time', description: 'When it ends by itself; null: it does not' }));
const blocks = Type.Array(words(holdBlocks), {
  minItems: 1,
  uniqueItems: true,
  description:
    '`launch` (default): no workflow starts; `power`: none with a task that changes the power; `poll`: its pollers pause; `alert`: its alerts are stored and shown, but not sent',
});

export const newHold = Type.Object(
  { kind: words(holdKinds), reason, until: Type.Optional(until), blocks: Type.Optional(blocks) },
  { additionalProperties: false },
);

export const holdChange = Type.Partial(Type.Object({ reason, until }), {
  additionalProperties: false,
  minProperties: 1,
});

export const holdRecord = Type.Object(
  {
    id: Type.String(),
    node: Type.String(),
    kind: words(holdKinds),
    reason: Type.String(),
    until,
    blocks,
    createdAt: time,
    updatedAt: time,
    createdBy: orNull(Type.String({ description: 'The user who added it; null: unknown' })),
  },
  { title: 'Hold' },
);

/** A launch over holds. */
export const overrideRequest = Type.Object(
  {
    holds: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 1_000,
      uniqueItems: true,
      description: 'the ids of the holds',
    }),
    reason,
  },
  { additionalProperties: false, description: 'Launches over these holds; needs ConfigureManager' },
);

export type HoldRecord = Static<typeof holdRecord>;
export type NewHold = Static<typeof newHold>;
export type HoldChange = Static<typeof holdChange>;
export type OverrideRequest = Static<typeof overrideRequest>;

export interface Holds {
  /** Filter and sort use fields of the record. Only those that hold now. */
  list(page: Page): Promise<PagedList<HoldRecord>>;
  get(node: string, id: string): Promise<HoldRecord | undefined>;
  /**
   * When it resolves, no process starts anything on the node any more that the hold blocks.
   * @param by the requesting user
   * @throws NodewrightError INVALID (`until` is over), CONFLICT (too many), NOT_FOUND (the node was removed)
   */
  add(node: string, hold: NewHold, by?: string): Promise<HoldRecord>;
  /** @throws NodewrightError INVALID (`until` is over) @returns undefined if there is no such hold */
  change(node: string, id: string, change: HoldChange): Promise<HoldRecord | undefined>;
  /** @param by the requesting user @returns false if there is no such hold */
  remove(node: string, id: string, by?: string): Promise<boolean>;
}
