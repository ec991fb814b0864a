/** The functions and classes of the engine that the API uses; `index.ts` has its types. */
export { changeableConfig, fixedConfig } from '../platform/config/config.ts';
export { mapPaced, pause } from '../platform/lib/pause.ts';
export { AtOnce, PerMinute, senderGroup } from '../platform/lib/per-minute.ts';
export { recentLog } from '../platform/lib/recent-log.ts';
export { Query } from '../platform/store/query.ts';
export { validator } from '../platform/validation/validator.ts';
