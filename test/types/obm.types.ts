/** Errors of the compiler in obm services. Not run: `tsc` fails when the marked line stops being an error. */
import type { ObmService } from '../../engine/define/node.ts';
import type { OpenDriver } from '../../engine/hardware/obm/driver.ts';
import { drivers } from '../../engine/hardware/obm/drivers.ts';

export const fine = drivers satisfies Record<ObmService, OpenDriver>;

// @ts-expect-error: a service without a driver
export const missing = drivers satisfies Record<ObmService | 'amt-obm-service', OpenDriver>;
