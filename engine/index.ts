/** The only door into the engine: what the API may use. */
export { type Config, readConfig } from './config.ts';
export { createEngine, type Engine } from './engine.ts';
