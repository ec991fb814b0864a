/** The entry point of the engine, for the program. The API's other parts use it as `api-port/` declares it. */

export { createBackup, restoreBackup, verifyBackup } from './assembly/backups.ts';
export { createEngine, type RunningEngine } from './assembly/engine.ts';
export { readKey, rotateKey } from './assembly/rotation.ts';
export {
  ENOUGH_RUNS,
  type RehearsedSite,
  rehearse,
  rehearsedSite,
  type SiteSource,
  withSite,
} from './assembly/site-copies.ts';
export { openStoredAudit, type StoredAudit } from './assembly/stored-audit.ts';
export { setLocalPassword } from './assembly/stored-users.ts';
export { openTransfer, type Transfer } from './assembly/transfer.ts';
export { checkExport } from './operations/audit/export-check.ts';
export type { InputRules } from './operations/transfer/line-checks.ts';
export { TRANSFER_FORMAT, type TransferHeader } from './operations/transfer/transfer-format.ts';
export { type Config, readConfig } from './platform/config/config.ts';
export {
  type KeyName,
  type KeyRing,
  keyPurposes,
  type RotationStep,
} from './platform/secrets/key-ring.ts';
export { SCHEMA_VERSION } from './platform/store/schema-version.ts';
