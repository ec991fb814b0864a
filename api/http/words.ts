/** The schema of a value that is one of a few words. */
import { Type } from 'typebox';

export const words = <T extends string>(list: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...list] });
