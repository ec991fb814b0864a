/** Errors of the compiler in a view. Not run: `tsc` fails when one of the marked lines stops being an error. */
import { Type } from 'typebox';
import { projection } from '../../api/views/projection.ts';

const Shown = Type.Object({ id: Type.String(), size: Type.Integer(), note: Type.Optional(Type.String()) });

interface Stored {
  id: string;
  bytes: number;
}

const view = projection(Shown);
const computed = projection(Shown, { size: ({ bytes }: Stored) => bytes });
const inUnits = projection(Shown, { size: ({ bytes }: Stored, unit: number) => bytes / unit });

export const size: number = view({ id: 'a', size: 1 }).size;
export const note: string | undefined = computed({ id: 'a', bytes: 1 }).note;
export const all = [{ id: 'a', bytes: 1, internal: true }].map(computed);
export const units = inUnits({ id: 'a', bytes: 1 }, 1024);

// @ts-expect-error: a record without a required property
view({ id: 'a' });
// @ts-expect-error: a property of another type
view({ id: 'a', size: '1' });
// @ts-expect-error: an optional property of another type
view({ id: 'a', size: 1, note: 7 });
// @ts-expect-error: a record without the property that a computed one reads
computed({ id: 'a', size: 1 });
// @ts-expect-error: a computed property of another type
projection(Shown, { size: ({ id }: Stored) => id });
// @ts-expect-error: no context for a computed property that needs one
inUnits({ id: 'a', bytes: 1 });
// @ts-expect-error: another context than the computed property needs
inUnits({ id: 'a', bytes: 1 }, 'kilo');
