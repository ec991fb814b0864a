/** Options that the tasks for the BIOS share. */
import { Type } from '../../define/index.ts';

export const biosValue = Type.Union([
  Type.String({ maxLength: 4_096 }),
  Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Boolean(),
  Type.Null(),
]);

export const biosOptions = {
  attributes: Type.Record(Type.String({ minLength: 1, maxLength: 255 }), biosValue, {
    maxProperties: 500,
    description: 'Values by the names of the attributes.',
  }),
};
