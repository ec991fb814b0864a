/** The entry point of the engine: everything that the API may use. */
export { type Changeable, type Config, changeableConfig, fixedConfig, readConfig } from './config.ts';
export { createEngine, type Engine } from './engine.ts';
export { AtOnce, PerMinute, senderGroup } from './southbound/quotas.ts';
