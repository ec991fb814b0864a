/** A text of the daemon as people read it: its times as all others are written, its ids in short. */

/** Ids; the first group is the short form. */
export const UUID_IN_TEXT = /\b([\da-f]{8})(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g;
/** A text that is split by it has a time as every second part. */
export const TIME_IN_TEXT = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)/;

const shortIds = (text: string): string => text.replaceAll(UUID_IN_TEXT, '$1…');

/** Where only characters can be, such as in a tooltip; `Sentence` shows more elsewhere. @param timeWords of ms since 1970 */
export const readableText = (text: string, timeWords: (at: number) => string): string =>
  text
    .split(TIME_IN_TEXT)
    .map((part, index) => (index % 2 === 0 ? shortIds(part) : timeWords(Date.parse(part))))
    .join('');
