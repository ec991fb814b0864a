/**
 * Where a page of the repository is in the site. The pages keep the links that lead from file to file in the repository;
 * the site gives each its address.
 */
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths that are no pages of the site. The README is the page of the repository, as `index.md` is that of the site. */
export const excluded = ['**/node_modules/**', 'README.md', 'data/**', 'dist/**'];

/** @param path of a page, relative to the root, such as `docs/operate/launch.md` @returns its path in the site */
export function addressOf(path) {
  if (path === 'README.md') return 'index.md';
  return path
    .replace(/^docs\/generated\//, 'reference/')
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^(engine|api|graphs|tasks|fixtures|test)\//, 'code/$1/');
}

/**
 * Resolves the links of a page: to another page by its address in the site; a link to a source file, which is no part of
 * the site, becomes its text.
 */
export function siteLinks(md) {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    const page = relative(root, env.realPath ?? env.path);
    for (const { children } of tokens) if (children) resolveLinks(children, page);
  });
}

function resolveLinks(tokens, page) {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'link_open') continue;
    const href = token.attrGet('href') ?? '';
    if (/^(?:[a-z]+:|#|\/)/.test(href)) continue;
    const [path, heading] = href.split('#');
    const target = join(dirname(page), decodeURI(path));
    if (!target.endsWith('.md')) unlink(tokens, at);
    else token.attrSet('href', `/${addressOf(target)}${heading === undefined ? '' : `#${heading}`}`);
  }
}

/** A token without content, because the loop counts tokens. */
function unlink(tokens, at) {
  const end = tokens.slice(at).find(({ type }) => type === 'link_close');
  for (const token of [tokens[at], end]) Object.assign(token, { type: 'text', content: '', nesting: 0 });
}

/** Pages are Markdown alone: what the site's compiler would take for a template is text. */
export function plainText(md) {
  const literal = (html) => html.replaceAll('{{', '&#123;&#123;');
  for (const name of ['text', 'code_inline']) {
    const rule = md.renderer.rules[name];
    md.renderer.rules[name] = (...given) => literal(rule(...given));
  }
}
