/** The API record of a user, without the password. */
import { Type } from 'typebox';
import { projection } from './projection.ts';

export const userRecord = Type.Object({ username: Type.String(), role: Type.String() }, { title: 'User' });

export const userView = projection(userRecord);
