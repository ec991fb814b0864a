/** Alerts of BMCs, as the API hands them on. */

export interface Alerts {
  /**
   * @param address the sender's: a lookup or an obm says whose it is
   * @param message one alert, or `Events` with several
   * @returns how many alerts it had, all of which will be told
   * @throws NodewrightError INVALID for a message without an alert, and for one from a stranger
   */
  receive(address: string, message: Record<string, unknown>): Promise<number>;
}
