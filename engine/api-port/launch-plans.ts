/** The port of the API to plans: what a launch would do. */
import { type Static, Type } from 'typebox';
import { type PowerEffect, powerEffects, recoveries } from '../vocabulary/states.ts';
import { withOldFields } from '../vocabulary/until-0.2.ts';
import { holderRecord, usualRecord } from './diagnosis.ts';
import { anyObject, orNull, words } from './schemas.ts';
import type { LaunchRequest } from './workflows.ts';

const plannedDrive = Type.Object({
  name: Type.String({ description: 'Below /dev, at the time of the catalog' }),
  wwid: orNull(Type.String()),
  model: orNull(Type.String()),
  serial: orNull(Type.String()),
  sizeBytes: orNull(Type.Number()),
});

const plannedTask = Type.Object({
  label: Type.String(),
  taskName: Type.String(),
  recovery: words(recoveries),
  destructive: Type.Boolean({
    description: 'It destroys data of the machine; of a task that runs a graph: that graph does',
  }),
  drives: orNull(
    Type.Array(plannedDrive, {
      description:
        'The drives whose content it destroys, by the catalogs of the node; null: only its run can know them',
    }),
  ),
  power: orNull(
    Type.Unsafe<PowerEffect>({
      ...words(powerEffects),
      description: 'Its effect on the power of the node; `cycle`: off and on, or a reset; null: none',
    }),
  ),
  options: anyObject,
  usualMs: orNull(usualRecord),
  waitsFor: Type.Array(Type.String()),
});

export const planRecord = Type.Object(
  withOldFields({
    graph: Type.String(),
    definitionHash: Type.String(),
    node: orNull(Type.String()),
    tasks: Type.Array(plannedTask),
    holder: orNull(
      Type.Object(holderRecord.properties, { description: 'The active workflow for which the node is busy' }),
    ),
    needs: Type.Array(Type.String(), { description: 'privileges, of which any one suffices' }),
    rejections: Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }), {
      description: 'empty: the launch would be accepted',
    }),
    usualMs: orNull(usualRecord),
  }),
  { title: 'Plan' },
);

/** Codes of rejections that are about the user: another one, or the same with a ticket, may launch. */
export const userRejections: readonly string[] = ['LAUNCH_RESTRICTED', 'TICKET_REQUIRED'];

export type LaunchPlan = Omit<Static<typeof planRecord>, 'needs'>;

/** `path` as in the errors of a launch; '' if it is about no field. */
export type LaunchRejection = LaunchPlan['rejections'][number];

export interface LaunchPlans {
  /** @throws NodewrightError NOT_FOUND (graph) */
  plan(request: LaunchRequest): Promise<LaunchPlan>;
}
