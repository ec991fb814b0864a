import { fileURLToPath } from 'node:url';

/** The folder to which processes of tests write their coverage. */
export const RECORDED = fileURLToPath(new URL('../node_modules/.cache/nodewright/coverage/recorded', import.meta.url));
