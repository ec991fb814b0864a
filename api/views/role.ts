/** The API record of a role. */
import { Type } from 'typebox';
import { privileges } from '../../engine/define/roles.ts';
import { words } from './common.ts';
import { projection } from './projection.ts';

export const privilegeList = Type.Array(words(privileges), { uniqueItems: true });

export const roleRecord = Type.Object({ role: Type.String(), privileges: privilegeList }, { title: 'Role' });

export const roleView = projection(roleRecord);
