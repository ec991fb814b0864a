/** Names that have a page of their own in the reference: where a page has one as code or as a heading, it is a link. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { root } from './pages.mjs';

const home = join(root, 'docs/generated');
const kinds = existsSync(home) ? readdirSync(home) : [];

const addresses = new Map(
  kinds.flatMap((kind) =>
    readdirSync(join(home, kind)).map((file) => [basename(file, '.md'), `/reference/${kind}/${file}`]),
  ),
);

/** Keys such as `env` are words of other things too: they are links only on the page that lists them. */
const isClear = (name, page) => /[^a-z]/.test(name) || /configuration\.md$/i.test(page);

export function nameLinks(md) {
  md.core.ruler.push('name-links', ({ tokens, env, Token }) => {
    const page = relative(root, env.realPath ?? env.path);
    for (const [at, token] of tokens.entries()) {
      const { type, tag } = tokens[at - 1] ?? {};
      if (token.type !== 'inline' || tag === 'h1') continue;
      const isName = ({ type: found, content }) =>
        (found === 'code_inline' || (type === 'heading_open' && token.content === content)) &&
        addresses.has(content) &&
        basename(page, '.md') !== content &&
        isClear(content, page);
      token.children = linked(token.children, isName, Token);
    }
  });
}

/** Adds a link around each name. A link whose text is a name leads to its page too. */
function linked(tokens, isName, Token) {
  let depth = 0;
  return tokens.flatMap((token, at) => {
    if (token.type === 'link_open') {
      depth += 1;
      const address = addresses.get(tokens[at + 1]?.content);
      if (address !== undefined) token.attrSet('href', address);
    }
    if (token.type === 'link_close') depth -= 1;
    if (depth > 0 || !isName(token)) return [token];
    const open = Object.assign(new Token('link_open', 'a', 1), { attrs: [['href', addresses.get(token.content)]] });
    return [open, token, new Token('link_close', 'a', -1)];
  });
}
