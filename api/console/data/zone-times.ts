/** Times on the clock of any zone. */

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Sat 2026-05-02 22:00`. @param at ISO 8601 @param timeZone name of an IANA zone */
export function timeIn(at: string, timeZone: string): string {
  const moment = Date.parse(at);
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone }).format(moment);
  // Sweden writes times as ISO 8601 does, but with a space.
  const time = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone }).format(moment);
  return `${weekday} ${time}`;
}
