/** The port of the API to the health of nodes: reports of many sources about how a node is. */
import { type Static, Type } from 'typebox';
import { type HealthState, healthStates } from '../vocabulary/states.ts';
import { orNull, time, words } from './schemas.ts';

/** The sources that are the daemon's own; no request reports in their name. */
export const builtInSources = ['bmc', 'sensors', 'log', 'alert', 'agent', 'sku', 'baseline', 'burn-in'] as const;

/** The names of sources of users. */
export const SOURCE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const MESSAGE_LENGTH = 1_000;
const YEAR_SEC = 366 * 24 * 3_600;

export const newHealthReport = Type.Object(
  {
    state: words(healthStates),
    message: Type.Optional(Type.String({ maxLength: MESSAGE_LENGTH, description: 'Why; by default empty' })),
    ttlSec: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: YEAR_SEC,
        description: 'Seconds until the report ends by itself; absent: it stays until the source replaces it',
      }),
    ),
  },
  { additionalProperties: false },
);

const healthReport = Type.Object({
  source: Type.String({
    description: `${builtInSources.map((source) => `\`${source}\``).join(', ')}, or one of a user`,
  }),
  state: words(healthStates),
  message: Type.String(),
  at: time,
  until: orNull(Type.String({ format: 'date-time', description: 'When it ends by itself; null: it does not' })),
});

export const nodeHealth = Type.Object(
  {
    state: Type.Unsafe<HealthState>({
      ...words(healthStates),
      description: 'That of the worst report; `unknown` if there is no other',
    }),
    since: time,
    reports: Type.Array(healthReport, { description: 'Newest first' }),
  },
  { title: 'NodeHealth' },
);

export type NewHealthReport = Static<typeof newHealthReport>;
export type HealthReport = Static<typeof healthReport>;
export type NodeHealth = Static<typeof nodeHealth>;

export interface Healths {
  /** @returns undefined if there is no such node */
  of(node: string): Promise<NodeHealth | undefined>;
  /**
   * Replaces the report of the source.
   * @param source fits `SOURCE_PATTERN`
   * @throws NodewrightError CONFLICT (a built-in source, or too many sources)
   * @returns undefined if there is no such node
   */
  put(node: string, source: string, report: NewHealthReport): Promise<NodeHealth | undefined>;
}
