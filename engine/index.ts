/** The entry point of the engine, for the program. The API's other parts use it as `api-port/` declares it. */
export { checkExport } from './audit/exported.ts';
export { type Config, readConfig } from './config/config.ts';
export { createEngine, type RunningEngine } from './engine.ts';
export { createBackup, restoreBackup, verifyBackup } from './open/backups.ts';
export { readKey, rotateKey } from './open/rotation.ts';
export { openStoredAudit, type StoredAudit } from './open/stored-audit.ts';
export { setLocalPassword } from './open/stored-users.ts';
export { openTransfer, type Transfer } from './open/transfer.ts';
export { type KeyName, type KeyRing, keyPurposes, type RotationStep, rotationSteps } from './secrets/key-ring.ts';
export { SCHEMA_VERSION } from './store/schema-version.ts';
export type { InputRules } from './transfer/line-checks.ts';
export { TRANSFER_FORMAT, type TransferHeader } from './transfer/transfer-format.ts';
