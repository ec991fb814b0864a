/** The entry point of the engine, for the program. The API's other parts use it as `api-port/` declares it. */
export { checkExport } from './audit/exported.ts';
export { type Config, readConfig } from './config/config.ts';
export { createEngine, type RunningEngine } from './engine.ts';
export { createBackup, restoreBackup, verifyBackup } from './open/backups.ts';
export { rotateKey } from './open/rotation.ts';
export { openStoredAudit, type StoredAudit } from './open/stored-audit.ts';
export { type KeyName, type KeyRing, keyPurposes, type RotationStep, rotationSteps } from './secrets/key-ring.ts';
