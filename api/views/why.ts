/** The views of the diagnosis. */
import { bmcRecord, summaryRecord, THEN } from '../../engine/api-port/diagnosis.ts';
import type { WaitExplained, Why } from '../../engine/api-port/index.ts';
import { projection } from './projection.ts';

const bmcView = projection(bmcRecord);

const waitView = ({ outcome, ...wait }: WaitExplained) => ({ ...wait, [THEN]: outcome });

export const whyView = ({ waits, bmc, ...why }: Why) => ({
  ...why,
  waits: waits.map(waitView),
  bmc: bmc && bmcView(bmc),
});

export const summaryView = projection(summaryRecord);
