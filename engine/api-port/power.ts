/** The port of the API to the power of nodes. */
import { type Static, Type } from 'typebox';
import { powerStates } from '../vocabulary/states.ts';
import { time, words } from './schemas.ts';

export const powerReading = Type.Object(
  {
    state: words([...powerStates, 'changing', 'unknown']),
    at: time,
  },
  { title: 'Power' },
);

export type PowerReading = Static<typeof powerReading>;

export interface Power {
  /** @param node an id @throws NodewrightError CONFLICT without a usable obm, UNAVAILABLE if the BMC does not answer */
  ask(node: string): Promise<PowerReading>;
}
