/** The API record of a role. */
import { Type } from 'typebox';
import type { RoleRecord } from '../../engine/api-port/index.ts';
import { privileges } from '../../engine/define/roles.ts';
import { words } from './common.ts';

export const privilegeList = Type.Array(words(privileges), { uniqueItems: true });

export const roleRecord = Type.Object({ role: Type.String(), privileges: privilegeList }, { title: 'Role' });

export const roleView = ({ role, privileges: held }: RoleRecord) => ({ role, privileges: [...held] });
