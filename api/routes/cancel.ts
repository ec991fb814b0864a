/** Shared by the actions that can only cancel. */
import { Type } from 'typebox';
import { words } from '../views/common.ts';

export const cancelBody = Type.Object({ command: words(['cancel']) }, { additionalProperties: false });
