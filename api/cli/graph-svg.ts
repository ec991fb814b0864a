/** A graph as an SVG picture, laid out offline. The picture has no scripts, no links and no fonts of its own. */
import type { ELK } from 'elkjs/lib/elk-api.js';
import type { MachineView } from '../../engine/vocabulary/machine-shape.ts';
import { type GraphArrow, type GraphBox, type GraphLayout, graphLayout, LINE, MARGIN } from '../client/graph-layout.ts';

export async function svgOf(view: MachineView): Promise<string> {
  // Its module is the class itself, which its types do not say.
  const { default: Elk } = (await import('elkjs/lib/elk.bundled.js')) as unknown as { default: new () => ELK };
  const laid = await new Elk().layout(graphLayout(view));
  return pictureOf(view.graph, laid as GraphLayout);
}

function pictureOf(title: string, { width = 0, height = 0, children, edges }: GraphLayout): string {
  const [wide, high] = [Math.ceil(width), Math.ceil(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    '<style>rect{fill:#fff;stroke:#345;rx:6}.final{stroke-width:3}.failed{stroke:#a22;stroke-width:3}.initial{fill:#345}',
    'path{fill:none;stroke:#567}text{font:12px monospace;fill:#123}.event{fill:#567}</style>',
    '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
    '<polygon points="0,0 8,4 0,8" fill="#567"/></marker></defs>',
    '<rect width="100%" height="100%" style="stroke:none;rx:0"/>',
    ...children.flatMap(drawnBox),
    ...edges.map(drawnArrow),
    '</svg>',
    '',
  ].join('\n');
}

function drawnBox({ x = 0, y = 0, width = 0, height = 0, lines, kind, children = [] }: GraphBox): string[] {
  const texts = lines.map(
    (line, index) => `<text x="${x + MARGIN}" y="${y + LINE * (index + 1) - 2}">${escapeText(line)}</text>`,
  );
  const rect = `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
  return [rect, ...texts, ...children.flatMap(drawnBox)];
}

function drawnArrow({ sections = [], labels = [] }: GraphArrow): string {
  const paths = sections.map(({ startPoint, bendPoints = [], endPoint }) => {
    const points = [startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${x},${y}`);
    return `<path d="M${points.join(' L')}" marker-end="url(#end)"/>`;
  });
  const texts = labels.map(
    ({ x = 0, y = 0, text = '' }) => `<text class="event" x="${x}" y="${y + LINE - 5}">${escapeText(text)}</text>`,
  );
  return [...paths, ...texts].join('');
}

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`).replace(/\p{Cc}/gu, ' ');
