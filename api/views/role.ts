/** The API record of a role. */
import { Type } from 'typebox';
import { privilegeList } from './common.ts';
import { projection } from './projection.ts';

export const roleRecord = Type.Object({ role: Type.String(), privileges: privilegeList }, { title: 'Role' });

export const roleView = projection(roleRecord);
