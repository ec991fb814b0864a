/** The port of the API to baselines: the firmware and the BIOS settings that the nodes of a SKU must have. */
import { type Static, Type } from 'typebox';
import { baselineOptions } from '../hardware/baseline/baseline-options.ts';
import { deviceKinds } from '../vocabulary/device-kinds.ts';
import type { Page, PagedList } from './page.ts';
import type { RolloutBody } from './rollouts.ts';
import { nonEmpty, orNull, time, withText, words } from './schemas.ts';

export const driftStates = ['matches', 'differs', 'unknown'] as const;

const settable = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  sku: withText(nonEmpty, 'id of the SKU whose nodes it is for'),
  firmware: withText(baselineOptions.firmware, 'versions of components, and their images'),
  bios: baselineOptions.bios,
  inBand: withText(baselineOptions.inBand, 'firmware that the agent on the booted node updates'),
};

const { name, sku, ...content } = settable;

export const newBaseline = Type.Object(
  { name, sku, ...Type.Partial(Type.Object(content)).properties },
  { additionalProperties: false },
);

export const baselineChange = Type.Partial(Type.Object(settable), { additionalProperties: false, minProperties: 1 });

export const baselineRecord = Type.Object(
  {
    id: Type.String(),
    ...settable,
    createdAt: time,
    updatedAt: time,
    createdBy: orNull(Type.String({ description: 'The user who created it; null: unknown' })),
  },
  { title: 'Baseline' },
);

const value = orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

const difference = Type.Object({
  kind: withText(words(['firmware', 'bios', ...deviceKinds] as const), 'in band: all but firmware and bios'),
  name: Type.String({
    description:
      'of the component as the baseline names it, of the attribute, the model of drives, the file of a package',
  }),
  expected: value,
  found: withText(value, 'null: the machine does not show it'),
});

export const driftRecord = Type.Object(
  {
    node: Type.String(),
    name: Type.String(),
    state: withText(words(driftStates), 'unknown: the node lacks a catalog that the baseline needs'),
    differences: Type.Array(difference),
    lacks: Type.Array(Type.String(), { description: 'sources of the catalogs that the node lacks' }),
    readAt: orNull(Type.String({ format: 'date-time', description: 'of the oldest catalog; null: there is none' })),
  },
  { title: 'Drift' },
);

export type NewBaseline = Static<typeof newBaseline>;
export type BaselineChange = Static<typeof baselineChange>;
export type BaselineRecord = Static<typeof baselineRecord>;
export type DriftRecord = Static<typeof driftRecord>;
export type DriftState = (typeof driftStates)[number];
/** Those of nodes that may have to be changed. */
export const proposableStates = ['differs', 'unknown'] as const;
export type ProposableState = (typeof proposableStates)[number];
/** The body of a rollout that is not started. */
export type BaselineRollout = Required<Pick<RolloutBody, 'name' | 'graph' | 'options' | 'targets'>>;

export interface Baselines {
  list(page: Page): Promise<PagedList<BaselineRecord>>;
  get(id: string): Promise<BaselineRecord | undefined>;
  /** @param by the requesting user @throws NodewrightError INVALID, NOT_FOUND (SKU), CONFLICT (too many) */
  create(baseline: NewBaseline, by?: string): Promise<BaselineRecord>;
  /** @throws as `create` @returns undefined if there is no such baseline */
  change(id: string, change: BaselineChange): Promise<BaselineRecord | undefined>;
  /** @returns false if there is no such baseline */
  remove(id: string): Promise<boolean>;
  /**
   * Returns how the nodes of its SKU differ, by their latest catalogs.
   * @param state only nodes in it @returns undefined if there is no such baseline
   */
  drift(id: string, page: Page, state?: DriftState): Promise<PagedList<DriftRecord> | undefined>;
  /**
   * Returns the rollout that would bring all nodes in the state to the baseline; nothing is stored or started.
   * @throws NodewrightError CONFLICT if no node is in it @returns undefined if there is no such baseline
   */
  rollout(id: string, state: ProposableState): Promise<BaselineRollout | undefined>;
}
