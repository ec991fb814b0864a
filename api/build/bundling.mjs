/** The options of esbuild that the builds of the daemon, the tests and their child processes share. Packages are external. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const bundling = {
  absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  loader: { '.sh': 'text' },
  alias: { 'nodewright/define': './engine/define/index.ts', 'nodewright/test': './api/story/index.ts' },
  target: 'node20',
  logLevel: 'warning',
};

/** In `engine/platform/lib/build-id.ts`; as long as a hash, so that source maps stay right. */
export const BUILD_ID = 'nodewright-build-id-replaced-by-the-build-with-a-hash-of-outputs';

/**
 * They have files beside their code, or native parts; or definitions import them too, and both use the same instance.
 * Typebox is bundled nevertheless: definitions get it from the folder `packages` (`library/text-folder.ts`).
 */
const external = [
  'esbuild',
  // Its CommonJS cannot be bundled.
  'jsonc-parser',
  // Loaded by daemons with the key `otlp` only.
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  // Few daemons need it, and it reads MIBs next to its code.
  'net-snmp',
  // 1.6 MB that only `nw graph draw --svg` needs.
  'elkjs',
  'libsql',
  'msgpackr-extract',
  'swagger-ui-dist',
  '@jitl/quickjs-wasmfile-release-sync',
  'quickjs-emscripten-core',
  'undici',
  'xstate',
  // Optional parts of MongoDB's driver, which are not installed.
  '@aws-sdk/credential-providers',
  '@mongodb-js/zstd',
  'aws4',
  'gcp-metadata',
  'kerberos',
  'mongodb-client-encryption',
  'snappy',
  'socks',
];

/** They compare the names of their classes, which a bundle may change. */
const named = /\/node_modules\/(bullmq|ioredis|mongodb|bson|redis-errors)\//;

/**
 * Maps each file of a package to one position, in package.json: the maps of packages would be larger than their code, and a
 * reader of maps looks for the source.
 */
const packages = {
  name: 'packages',
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const source = relative(dirname(path), join(bundling.absWorkingDir, 'package.json'));
      const map = { version: 3, sources: [source], names: [], mappings: 'AAAA' };
      const comment = `//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}`;
      const text = await readFile(path, 'utf8');
      const code = named.test(path) ? (await esbuild.transform(text, { keepNames: true })).code : text;
      return { contents: `${code}\n${comment}`, loader: 'js' };
    });
  },
};

/** The options that bundle most packages too. */
export const withPackages = {
  packages: 'bundle',
  external,
  // Packages in CommonJS find Node's own modules by `require`.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url), __dirname = import.meta.dirname;",
  },
  plugins: [packages],
};

/** The tasks that graphs of others import, as `nodewright/tasks/<name>.ts`. */
export async function taskPrograms() {
  const files = (await readdir(join(bundling.absWorkingDir, 'tasks'))).filter((name) => name.endsWith('.ts'));
  return Object.fromEntries(files.map((name) => [`tasks/${basename(name, '.ts')}`, `tasks/${name}`]));
}
