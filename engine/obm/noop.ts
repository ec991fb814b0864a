/** `noop-obm-service`: for machines that nobody switches from afar. Whatever it is asked is as good as done. */
import type { Obm } from '../define/obm.ts';

export const noopObm: Obm = {
  service: 'noop-obm-service',
  power: async () => {},
  state: async () => 'unknown',
  boot: async () => {},
  identify: async () => {},
  clearLog: async () => {},
};
