/** The port of the API to the gates of BMCs. */

import type { BmcGate } from '../hardware/obm/bmc-gates.ts';

export type { BmcEndpoint, BmcGate } from '../hardware/obm/bmc-gates.ts';

export interface Bmcs {
  /** Returns the BMCs that were sent commands lately, by host. */
  all(): Promise<BmcGate[]>;
  /** Returns the nodes whose obms name these hosts, as those of BMCs or PDUs, by host. */
  nodesAt(hosts: readonly string[]): Promise<Map<string, { id: string; name: string }[]>>;
  /**
   * Closes the circuits of all ports of a BMC, and begins the attempts that wait for it.
   * @param by the user who asks for it
   * @returns false if no command was sent to this host lately
   */
  reset(host: string, by?: string): Promise<boolean>;
}
