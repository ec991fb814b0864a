/** The API record of a user, without the password. */
import { Type } from 'typebox';
import type { UserRecord } from '../../engine/api-port/index.ts';

export const userRecord = Type.Object({ username: Type.String(), role: Type.String() }, { title: 'User' });

export const userView = ({ username, role }: UserRecord) => ({ username, role });
