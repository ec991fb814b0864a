/** `noop-obm-service`: for machines without power control. Accepts every command and does nothing. */
import type { ObmDriver } from './driver.ts';

export const noopObm: ObmDriver = {
  service: 'noop-obm-service',
  power: (_action, _signal, commit) => commit(),
  state: async () => 'unknown',
  boot: async () => {},
  identify: async () => {},
  clearLog: (_signal, commit) => commit(),
  resetBmc: (_signal, commit) => commit(),
};
