/** Shared by the actions that can only cancel. */
import { Type } from 'typebox';
import { words } from '../../engine/api-port/schemas.ts';

export const cancelBody = Type.Object({ command: words(['cancel']) }, { additionalProperties: false });
