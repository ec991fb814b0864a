/** The site of the pages: those of `docs/`, those beside the sources, and the generated reference in `docs/generated/`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { drawnDiagrams } from './diagrams.mjs';
import { nameLinks } from './names.mjs';
import { nav, OPENAPI, sidebar } from './navigation.mjs';
import { addressOf, excluded, plainText, root, siteLinks } from './pages.mjs';

/** The pages are above the packages of the site, where the bundler does not find them. */
const vueOfSite = {
  name: 'vue-of-site',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : undefined),
};

/** The scripts that the pages contain, by name: as files, because the daemon's policy permits no script within a page. */
const scripts = new Map();

/** Figures are found by their page. */
const searchedText = (text, env, md) => (/bench\/results\//.test(env.relativePath) ? '' : md.render(text, env));

export default defineConfig({
  title: 'nodewright',
  description: 'A durable workflow engine for bare metal',
  base: '/docs/',
  srcDir: root,
  // Otherwise the order of the search's index, and so the files of a release, would differ from build to build.
  buildConcurrency: 1,
  srcExclude: excluded,
  cacheDir: join(root, 'docs/node_modules/.cache/site'),
  rewrites: addressOf,
  cleanUrls: true,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  ignoreDeadLinks: [OPENAPI],
  vite: { plugins: [vueOfSite], build: { chunkSizeWarningLimit: 10_000 } },
  markdown: {
    config: (md) => md.use(plainText).use(siteLinks).use(nameLinks).use(drawnDiagrams),
  },
  transformHtml: (html) =>
    html.replace(/<script id="([\w-]+)">([\s\S]*?)<\/script>/g, (_, name, text) => {
      scripts.set(name, text);
      return `<script src="/docs/${name}.js"></script>`;
    }),
  async buildEnd({ outDir }) {
    for (const [name, text] of scripts) await writeFile(join(outDir, `${name}.js`), text);
  },
  themeConfig: {
    nav,
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local', options: { _render: searchedText } },
    docFooter: { prev: false, next: false },
  },
});
