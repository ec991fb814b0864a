/**
 * The entry point for commands of authors that need no daemon, beside their kit (`simulate/index.ts`): checks of files,
 * diagrams, packs.
 */
export { machineView } from './library/machine-view.ts';
export { graphDiagram } from './library/mermaid.ts';
export { knownBases, taskRenamed } from './library/rackhd/base-tasks.ts';
export { definitionFiles } from './library/watch.ts';
export { buildPack } from './packs/build-pack.ts';
export { checkPack, type PackFindings } from './packs/check-pack.ts';
export { definitionChecks } from './simulate/check-definitions.ts';
export { checkFile, type FileFindings } from './simulate/check-file.ts';
export { loadGraph } from './simulate/definition-files.ts';
