/** The due times of a schedule, as a form has them. */
import { MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { fieldText } from '../../parts/form.tsx';

export type EnteredWhen = GetAnswer<'/schedules'>[number]['when'];
export type DueKind = 'cron' | 'every' | 'at';

const HOUR_SEC = 3_600;

export function dueKindOf(when: EnteredWhen | undefined): DueKind {
  if (when === undefined || 'cron' in when) return 'cron';
  return 'at' in when ? 'at' : 'every';
}

export const hoursOf = (when: EnteredWhen | undefined): string =>
  when !== undefined && 'everySec' in when ? String(when.everySec / HOUR_SEC) : '';

/** Returns a moment as a field for the zone of the browser has it; '': there is none. */
export function fieldMoment(time: string): string {
  if (time === '') return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Returns the moment that a field for the zone of the browser has; '': none, or one that no date can have. */
export function momentIn(field: string): string {
  const at = new Date(field);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

export const dueMoment = (when: EnteredWhen | undefined): string => (when !== undefined && 'at' in when ? when.at : '');

/** Whether the fields of the chosen kind have values. */
export function hasTimes(form: FormData): boolean {
  const fields = { cron: ['cron', 'zone'], every: ['hours'], at: ['at'] }[fieldText(form, 'kind') ?? ''] ?? [];
  return fields.length > 0 && fields.every((name) => fieldText(form, name) !== undefined);
}

export function whenIn(form: FormData): EnteredWhen {
  const text = (name: string) => fieldText(form, name) ?? '';
  const kind = text('kind');
  if (kind === 'every') return { everySec: Math.max(1, Math.round(Number(text('hours')) * HOUR_SEC)) };
  if (kind === 'at') return { at: momentIn(text('at')) };
  return { cron: text('cron'), zone: text('zone') };
}
