/** The port of the API to the alerts of BMCs. */

export interface Alerts {
  /**
   * @param address the sender's, which a lookup or an obm maps to a node
   * @param message one alert, or `Events` with several
   * @returns the number of alerts in it, all of which will be published
   * @throws NodewrightError INVALID for a message without an alert, or from an unknown sender
   */
  receive(address: string, message: Record<string, unknown>): Promise<number>;
}
