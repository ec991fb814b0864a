/** The port of the API to windows: the times at which changes may begin. */
import { type Static, Type } from 'typebox';
import { weekdays } from '../vocabulary/weekdays.ts';
import type { Calendar } from './calendar.ts';
import type { Page, PagedList } from './page.ts';
import { orNull, time, words } from './schemas.ts';

const MINUTES_OF_WEEK = 10_080;

const timeOfDay = Type.String({
  pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$',
  description: 'hh:mm in the zone; 24:00 is the end of the day',
});

const span = Type.Object(
  {
    days: Type.Array(words(weekdays), { minItems: 1, uniqueItems: true, description: 'on which it begins' }),
    from: timeOfDay,
    to: Type.Unsafe<string>({ ...timeOfDay, description: 'hh:mm; not after `from`: on the next day' }),
  },
  { additionalProperties: false },
);

const closure = Type.Object(
  { from: time, to: time, reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })) },
  { additionalProperties: false },
);

const settable = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  zone: Type.String({ minLength: 1, maxLength: 100, description: 'name of an IANA zone, such as Europe/Berlin' }),
  spans: Type.Array(span, { minItems: 1, maxItems: 50 }),
  closed: Type.Array(closure, { maxItems: 1_000, description: 'moments between which it is not open' }),
  leadMinutes: Type.Integer({
    minimum: 0,
    maximum: MINUTES_OF_WEEK,
    description: 'nothing begins so shortly before it closes',
  }),
};

export const newWindow = Type.Object(
  {
    ...settable,
    closed: Type.Optional(settable.closed),
    leadMinutes: Type.Optional(settable.leadMinutes),
  },
  { additionalProperties: false },
);

/** A window in the body of another request. */
export const windowInPlace = Type.Object(
  { ...newWindow.properties, name: Type.Optional(settable.name) },
  { additionalProperties: false },
);

/** A window as a form has it, before it is stored. */
export const windowPreviewBody = Type.Object(
  { zone: settable.zone, spans: settable.spans, closed: Type.Optional(settable.closed) },
  { additionalProperties: false },
);

export const windowChange = Type.Partial(Type.Object(settable), { additionalProperties: false, minProperties: 1 });

const never = (description: string) => orNull(Type.String({ format: 'date-time', description }));

const openTimes = Type.Object({ opensAt: time, closesAt: never('null: it does not') });

export const windowPreview = Type.Object(
  { next: Type.Array(openTimes, { description: 'the first five openings that are not over' }) },
  { title: 'WindowPreview' },
);

export const windowRecord = Type.Object(
  {
    id: Type.String(),
    ...settable,
    open: Type.Boolean(),
    closesAt: Type.Optional(never('Only while it is open; null: it does not close')),
    next: orNull(Type.Object(openTimes.properties, { description: 'The next time that it opens; null: it does not' })),
    createdAt: time,
    updatedAt: time,
    createdBy: orNull(Type.String({ description: 'The user who created it; null: unknown' })),
  },
  { title: 'Window' },
);

export type WindowPreviewBody = Static<typeof windowPreviewBody>;
export type WindowPreview = Static<typeof windowPreview>;
export type NewWindow = Static<typeof newWindow>;
export type WindowChange = Static<typeof windowChange>;
export type WindowRecord = Static<typeof windowRecord>;
/** The part of a window that says when it is open. */
export type WindowTimes = Pick<WindowRecord, 'zone' | 'spans' | 'closed'>;
/** The state of a window at a moment. */
export type WindowState = Pick<WindowRecord, 'open' | 'closesAt' | 'next'>;

export interface Windows extends Calendar {
  list(page: Page): Promise<PagedList<WindowRecord>>;
  get(id: string): Promise<WindowRecord | undefined>;
  /** Computes the next openings of a window that is not stored. @throws as `create` */
  preview(window: WindowPreviewBody): WindowPreview;
  /** @param by the requesting user @throws NodewrightError INVALID (zone, or a closure that ends before it begins) */
  create(window: NewWindow, by?: string): Promise<WindowRecord>;
  /** It counts immediately. @throws as `create` @returns undefined if there is no such window */
  change(id: string, change: WindowChange): Promise<WindowRecord | undefined>;
  /** @throws NodewrightError CONFLICT while it is in use @returns false if there is no such window */
  remove(id: string): Promise<boolean>;
}
