/** The port of the API to the gates of BMCs. */

/** The commands of one address of a BMC, over all processes. */
export interface BmcEndpoint {
  /** `host:port`, or the origin of a Redfish service. */
  address: string;
  port: number;
  /** Commands that run, and that wait for their turn. */
  running: number;
  waiting: number;
  /** Commands in a row that got no answer. */
  failures: number;
  /** ISO 8601: no command is sent until then; null: commands are sent. */
  restsUntil: string | null;
  /** ISO 8601; null: unknown. */
  lastAnswerAt: string | null;
}

/** The BMC at one host. `restsUntil`: the first end of a rest, if all of its ports rest; `failures`: of the worst port. */
export interface BmcGate extends Omit<BmcEndpoint, 'address' | 'port'> {
  /** Its host. */
  id: string;
  host: string;
  ports: BmcEndpoint[];
}

export interface Bmcs {
  /** Returns the BMCs that were sent commands lately, by host. */
  all(): Promise<BmcGate[]>;
  /** Returns the nodes whose obms name these hosts, by host. */
  nodesAt(hosts: readonly string[]): Promise<Map<string, { id: string; name: string }[]>>;
  /**
   * Ends the rest of all ports of a BMC, and begins the attempts that wait for it.
   * @param by the user who asks for it
   * @returns false if no command was sent to this host lately
   */
  reset(host: string, by?: string): Promise<boolean>;
}
