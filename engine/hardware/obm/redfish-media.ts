/** The image from which a machine boots by virtual media, where others boot over the network. */
import { ObmError } from '../../define/obm.ts';
import { PermanentError } from '../../vocabulary/errors.ts';
import { fieldOf } from '../../vocabulary/thrown-values.ts';
import { insertImage } from '../redfish/virtual-media.ts';
import type { RedfishAt } from './redfish-at.ts';
import type { RedfishRequest } from './session.ts';

export interface MediaBoot {
  service: RedfishAt;
  /** Returns the URL of the image. */
  bootImage(): Promise<string>;
}

/** @param pathOf returns the path of the ComputerSystem */
export async function insertBootImage(
  { service, bootImage }: MediaBoot,
  pathOf: (ask: (request: RedfishRequest) => ReturnType<RedfishAt['ask']>) => Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  const ask = (request: RedfishRequest) => service.ask(request, signal);
  const finish = (request: RedfishRequest) => service.finish(request, signal);
  await insertImage({ ask, finish, system: () => pathOf(ask) }, 'CD', await bootImage());
}

/** The BMC may be asked again, and the task run waits for it. */
const passing: readonly unknown[] = ['OBM_CIRCUIT_OPEN', 'OBM_UNREACHABLE', 'OBM_BUSY'];

/** Returns the error by which graphs see that the machine would not boot the microkernel. */
export function withoutImage(error: unknown): unknown {
  const isRejected = error instanceof ObmError || error instanceof PermanentError;
  if (!isRejected || passing.includes(error.code)) return error;
  return new ObmError('OBM_NO_BOOT_IMAGE', error.message, { retry: fieldOf(error, 'retry') !== false });
}
