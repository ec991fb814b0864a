/** Everything outside an engine: services, and the files of its machine. */
import type { AuditLog } from '../operations/audit/audit-log.ts';
import { type OpenDefinitions, openDefinitions } from './definitions.ts';
import type { Foundation } from './foundation.ts';
import type { LateLinks } from './late-calls.ts';
import { configuredOutside, type Outside } from './outside.ts';
import { openLocalPasswords } from './users.ts';

export interface EngineOutside extends Outside {
  definitions(foundation: Foundation, lateLinks: LateLinks): Promise<OpenDefinitions>;
  localPasswords(foundation: Foundation, audit: AuditLog): Promise<{ close(): Promise<void> }>;
}

export const thisMachine: EngineOutside = {
  ...configuredOutside,
  definitions: openDefinitions,
  localPasswords: openLocalPasswords,
};
