/** Draws the diagrams of pages when the site is built, so that no script draws them in the browser. */
import { renderMermaidSVG } from 'beautiful-mermaid';

export function drawnDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, at, ...rest) =>
    tokens[at].info.trim() === 'mermaid' ? drawn(tokens[at].content) : fence(tokens, at, ...rest);
}

/** The colours and fonts of the site (`theme/site.css`) replace those of the picture, which would load a font. */
function drawn(text) {
  const svg = renderMermaidSVG(text)
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/(<svg [^>]*?) style="[^"]*"/, '$1 role="img"');
  return `<div class="diagram" v-pre>${svg}</div>\n`;
}
