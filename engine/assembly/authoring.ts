/**
 * The entry point for commands of authors that need no daemon, beside their kit (`kit/index.ts`): checks of files,
 * diagrams, packs.
 */

export { buildPack } from '../inventory/packs/build-pack.ts';
export { checkPack, type PackFindings } from '../inventory/packs/check-pack.ts';
export { definitionChecks } from '../kit/check-definitions.ts';
export { checkGraphFiles, type FileFindings } from '../kit/check-file.ts';
export { loadGraph } from '../kit/definition-files.ts';
export { definitionFiles } from '../library/bundling/watch.ts';
export { machineView } from '../library/forms/machine-view.ts';
export { graphDiagram } from '../library/forms/mermaid.ts';
export { knownBases, taskRenamed } from '../library/forms/rackhd/base-tasks.ts';
