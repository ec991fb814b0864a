/** Schemas that several records share. */
import { type TSchema, Type } from 'typebox';

export const time = Type.String({ format: 'date-time' });
export const anyObject = Type.Record(Type.String(), Type.Unknown());
export const nonEmpty = Type.String({ minLength: 1 });
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** The same with another description. */
export const withText = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });
/** In a body: the filters of the list of nodes. */
export const nodeFilterBody = Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
  description: 'filters of the list of nodes, such as `{ "tags": "gpu" }`',
});
/** The `owner` of a record. */
export const owningTeam = Type.String({ description: 'The team that it belongs to; absent: the whole site' });
/** In a query. */
export const timeOrDate = (description: string) =>
  Type.Unsafe<string>({ type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }], description });
/** One of a few words. */
export const words = <T extends string>(list: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...list] });
