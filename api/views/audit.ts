/** The view of an entry of the audit log. */
import { auditEntry } from '../../engine/api-port/audit.ts';
import { projection } from './projection.ts';

export const auditEntryView = projection(auditEntry);
