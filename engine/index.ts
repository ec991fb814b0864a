/** The entry point of the engine: everything that the API may use. */
export { type Changeable, type Config, changeableConfig, fixedConfig, readConfig } from './config/config.ts';
export { createEngine, type RunningEngine } from './engine.ts';
export { AtOnce, PerMinute, senderGroup } from './southbound/per-minute.ts';
