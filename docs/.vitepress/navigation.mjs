/** The navigation: by role at the top; at the side the list of the role's own page, which readers of the repository use too. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addressOf, root } from './pages.mjs';

const shelves = {
  operate: 'Operate',
  author: 'Author',
  integrate: 'Integrate',
  understand: 'Understand',
  reference: 'Reference',
};

/** Pages beside the sources belong to those who read these. */
const CODE = 'understand';

/** Not a page of the site: the daemon serves it. */
export const OPENAPI = '/openapi';

export const nav = [
  ...Object.entries(shelves).map(([name, text]) => ({ text, link: `/${name}/`, activeMatch: `^/${name}/` })),
  { text: 'OpenAPI', link: OPENAPI, target: '_self' },
];

/** @returns one sidebar for each role, by the beginning of the addresses that have it */
export function sidebar() {
  const all = Object.keys(shelves).map((name) => [`/${name}/`, groupsOf(`docs/${name}/index.md`)]);
  return Object.fromEntries([...all, ['/', groupsOf(`docs/${CODE}/index.md`)]]);
}

/** The second-level headings of a page, each with the links that begin the items below it. */
function groupsOf(page) {
  const [, ...sections] = readFileSync(join(root, page), 'utf8').split(/^## /m);
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].map(([, text, path]) => ({
      text: text.replaceAll('`', ''),
      link: `/${addressOf(join(dirname(page), path)).replace(/(?:index)?\.md$/, '')}`,
    })),
  }));
}
