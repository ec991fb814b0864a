/** The port of the API to the gates of BMCs. */

/** The commands of a BMC, over all processes. */
export interface BmcGate {
  /** Its host. */
  id: string;
  host: string;
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

export interface Bmcs {
  /** Returns the BMCs with commands or failures, by host. */
  all(): Promise<BmcGate[]>;
  /**
   * Ends the rest of a BMC, and begins the attempts that wait for it.
   * @param by the user who asks for it
   * @returns false if no BMC with commands or failures has this host
   */
  reset(host: string, by?: string): Promise<boolean>;
}
