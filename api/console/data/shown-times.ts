/** The form of times: with 24 hours, in the zone of the reader or in UTC, as the browser keeps it. */
import { computed, signal } from '@preact/signals';
import { storedText, storeText } from './stored-texts.ts';

const KEY = 'nodewright.zone';
const zone = signal<'local' | 'UTC'>(storedText(KEY) === 'UTC' ? 'UTC' : 'local');

export const isUtc = computed(() => zone.value === 'UTC');

export function switchZone(): void {
  zone.value = isUtc.value ? 'local' : 'UTC';
  storeText(KEY, zone.value);
}

/** Sweden writes times as ISO 8601 does, but with a space. */
const form = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('sv-SE', options);
const formsIn = (timeZone: string | undefined) => ({
  whole: form({ dateStyle: 'short', timeStyle: 'medium', timeZone }),
  clock: form({ timeStyle: 'medium', timeZone }),
});
const forms = { local: formsIn(undefined), UTC: formsIn('UTC') };

type Moment = Date | number;

/** `2026-05-03 14:30:00`. @param at a date, or ms since 1970 */
export const dateTime = (at: Moment): string => forms[zone.value].whole.format(at);

/** `14:30:00`. */
export const clockTime = (at: Moment): string => forms[zone.value].clock.format(at);

/** The time of a day as such, with its date on other days. */
export const shortTime = (at: Moment, now: Moment): string =>
  dateTime(at).slice(0, DATE) === dateTime(now).slice(0, DATE) ? clockTime(at) : dateTime(at);

const DATE = 10;

/** In both zones. */
export const bothTimes = (at: Moment): string =>
  `${forms.local.whole.format(at)} local\n${forms.UTC.whole.format(at)} UTC`;

/** The value of a field for a date and a time. @param at ISO 8601 */
export const fieldOfTime = (at: string): string => dateTime(Date.parse(at)).slice(0, MINUTE_LENGTH).replace(' ', 'T');

const MINUTE_LENGTH = 16;

/** @param text of a field for a date and a time @returns ISO 8601; undefined: it has no time */
export function timeOfField(text: string): string | undefined {
  const at = Date.parse(isUtc.value ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
