/** `noop-obm-service`: for machines whose power nothing switches. Accepts every command and does nothing. */
import type { ObmDriver } from './driver.ts';

export const noopObm: ObmDriver = {
  service: 'noop-obm-service',
  power: (_action, _signal, commit) => commit(),
  state: async () => 'unknown',
  boot: async () => {},
  identify: async () => {},
  clearLog: (_signal, commit) => commit(),
};
