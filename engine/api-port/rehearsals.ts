/** Rehearsals of rollouts: what one needs of a site, and what it answers. */
import { type Static, Type } from 'typebox';
import { withOldFields } from '../vocabulary/until-0.2.ts';
import type { Page, PagedList } from './page.ts';
import { type RolloutRequest, rolloutPlanRecord, rolloutRequest } from './rollouts.ts';
import { orNull, time, words } from './schemas.ts';
import { type WindowRecord, type WindowTimes, windowInPlace } from './windows.ts';

/** A target of the plan, and the nodes that it has in each relation. */
export interface RehearsalTarget {
  node: string;
  phase: number;
  sequence: number;
  parents: Readonly<Record<string, readonly string[]>>;
}

/** How a workflow ends; `error` null: it succeeds. */
export interface DrawnEnd {
  durationMs: number;
  error: { code: string; message: string } | null;
}

export type RehearsalWindow = WindowTimes & Pick<WindowRecord, 'leadMinutes'>;

const { window: _, ...rollout } = rolloutRequest.properties;

/** A rollout; its window is an id, or a window itself. A ticket is ignored. */
export const rehearsalRequest = Type.Object(
  { ...rollout, window: Type.Optional(Type.Union([Type.String({ minLength: 1 }), windowInPlace])) },
  { additionalProperties: false },
);

/** `measured`: durations and failures are those of earlier runs of this site; `models`: those of twins of servers. */
const bases = ['measured', 'models'] as const;

const spread = { p50: Type.Number(), p90: Type.Number() };
const spreadRecord = (description: string) => Type.Object(spread, { description });
const count = Type.Integer();

const rehearsalReport = Type.Object(
  withOldFields({
    basis: words(bases),
    runs: count,
    durationMs: spreadRecord('from the first beginning to the last end, or until a gate trips'),
    phases: Type.Array(
      Type.Object({
        index: count,
        startedMs: orNull(spreadRecord('since the first beginning; null: no run began it')),
        finishedMs: orNull(spreadRecord('null: no run finished it')),
      }),
    ),
    failures: Type.Array(
      Type.Object({ code: Type.String(), message: Type.String(), ...spread, nodes: Type.Array(Type.String()) }),
      { description: 'by code: the failures of a run, the newest message, and nodes on which it occurred' },
    ),
    gates: Type.Array(
      Type.Object({ index: count, trips: count, at: Type.Object({ phase: count, ms: Type.Number() }) }),
      { description: 'that tripped: in how many runs, and when, in the run in the middle' },
    ),
    windows: Type.Array(Type.Object({ closedAt: time, tooShortMs: Type.Number() }), {
      description: 'openings that were too short, by the work that followed in later ones, in the run in the middle',
    }),
    peaks: Type.Array(Type.Object({ relation: Type.String(), parent: Type.String(), running: count }), {
      description: 'the most targets that ran at a time and share a node in a relation',
    }),
    left: Type.Integer({
      description:
        'targets that did not begin, in the run with the most: no opening of the window had room, or their nodes stay held',
    }),
    rejections: rolloutPlanRecord.properties.rejections,
  }),
  { title: 'RehearsalReport' },
);

const { name, graph, definitionHash, seed, gates, limits, order } = rolloutPlanRecord.properties;

export const rehearsalRecord = Type.Object(
  {
    id: Type.String(),
    name,
    graph,
    definitionHash,
    seed,
    gates,
    limits,
    order,
    phases: Type.Array(Type.Pick(rolloutPlanRecord.properties.phases.items, ['index', 'size', 'advance', 'targets'])),
    window: orNull(Type.String({ description: 'its id; null: none, or one that the request had in itself' })),
    report: rehearsalReport,
    createdBy: orNull(Type.String()),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Rehearsal' },
);

export type RehearsalBody = Static<typeof rehearsalRequest>;
export type RehearsalReport = Static<typeof rehearsalReport>;
export type RehearsalRecord = Static<typeof rehearsalRecord>;
export type RehearsalBasis = (typeof bases)[number];

export type RehearsalRequest = Omit<RolloutRequest, 'window' | 'ticket'> & Pick<RehearsalBody, 'window'>;

export interface Rehearsals {
  /**
   * Rehearses a rollout by earlier runs of this site.
   * @throws NodewrightError as a plan of the rollout; CONFLICT with fewer than ten such runs; TOO_MANY_REQUESTS during another one
   */
  create(request: RehearsalRequest): Promise<RehearsalRecord>;
  get(id: string): Promise<RehearsalRecord | undefined>;
  /** Default order: oldest first. */
  list(page: Page): Promise<PagedList<RehearsalRecord>>;
  /** @returns false if there is no such rehearsal */
  remove(id: string): Promise<boolean>;
}
