/** The identity of a build of the daemon. The build replaces the text by a hash of all its files (`api/build/build.mjs`). */
const BUILD_ID: string = 'nodewright-build-id-replaced-by-the-build-with-a-hash-of-outputs';

/** undefined: this process runs from its sources, which may change at any time. */
export const buildId: string | undefined = BUILD_ID.startsWith('nodewright-') ? undefined : BUILD_ID;
