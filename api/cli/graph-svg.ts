/**
 * A graph as an SVG picture, laid out offline by ELK, which handles states within states. The picture has no scripts, no
 * links and no fonts of its own.
 */
import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { type MachineView, type StateView, transitionTexts } from '../../engine/authoring.ts';

/** px */
const CHARACTER = 7;
const LINE = 18;
const MARGIN = 12;

interface Box extends ElkNode {
  lines: string[];
  kind: string;
  children?: Box[];
}

interface Arrow extends ElkExtendedEdge {
  text: string;
}

const layout = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.spacing.nodeNode': '32',
  'elk.spacing.edgeNode': '16',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
};

export async function svgOf(view: MachineView): Promise<string> {
  // Its module is the class itself, which its types do not say.
  const { default: Elk } = (await import('elkjs/lib/elk.bundled.js')) as unknown as { default: new () => ELK };
  const { boxes, arrows } = view.kind === 'list' ? listParts(view) : machineParts(view.root);
  const graph = { id: 'root', layoutOptions: layout, children: boxes, edges: arrows };
  const laid = await new Elk().layout(graph);
  return pictureOf(view.graph, laid as ElkNode & { children: Box[]; edges: Arrow[] });
}

function listParts({ tasks }: MachineView): { boxes: Box[]; arrows: Arrow[] } {
  const boxes = tasks.map(({ label, taskName }) => boxOf(label, [label, taskName], 'atomic'));
  const arrows = tasks.flatMap(({ label, waitsFor }) => waitsFor.map((on) => arrowOf(`${on} ${label}`, on, label, '')));
  return { boxes, arrows };
}

function machineParts(root: StateView): { boxes: Box[]; arrows: Arrow[] } {
  const all = root.states.flatMap(below);
  const arrows = all.flatMap((state) =>
    transitionTexts(state).flatMap(({ targets, text }, index) =>
      targets.map((target) => arrowOf(`${idOf(state)} ${index} ${target}`, idOf(state), target, text)),
    ),
  );
  return { boxes: root.states.map((state) => stateBox(state, state.path.at(-1) === root.initial)), arrows };
}

const below = (state: StateView): StateView[] => [state, ...state.states.flatMap(below)];
const idOf = ({ path }: StateView): string => path.join('.');

function stateBox(state: StateView, isInitial: boolean): Box {
  const { path, type, tags, invokes, states, initial } = state;
  const title = `${isInitial ? '> ' : ''}${path.at(-1)}${type === 'parallel' ? ' (parallel)' : ''}`;
  const lines = [title, ...invokes.map(({ label }) => `(${label})`), ...(tags.length > 0 ? [tags.join(', ')] : [])];
  const box = boxOf(idOf(state), lines, tags.includes('failed') ? 'failed' : type);
  if (states.length === 0) return box;
  const top = MARGIN + lines.length * LINE;
  return {
    ...box,
    children: states.map((child) => stateBox(child, child.path.at(-1) === initial)),
    layoutOptions: { 'elk.padding': `[top=${top},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]` },
  };
}

const boxOf = (id: string, lines: string[], kind: string): Box => ({
  id,
  lines,
  kind,
  width: Math.max(...lines.map(widthOf)) + 2 * MARGIN,
  height: lines.length * LINE + MARGIN,
});

const arrowOf = (id: string, from: string, to: string, text: string): Arrow => ({
  id,
  sources: [from],
  targets: [to],
  text,
  labels: text === '' ? [] : [{ text, width: widthOf(text), height: LINE }],
});

const widthOf = (text: string): number => text.length * CHARACTER;

function pictureOf(
  title: string,
  { width = 0, height = 0, children, edges }: ElkNode & { children: Box[]; edges: Arrow[] },
) {
  const [wide, high] = [Math.ceil(width), Math.ceil(height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<style>rect{fill:#fff;stroke:#345;rx:6}.final{stroke-width:3}.failed{stroke:#a22;stroke-width:3}',
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

function drawnBox({ x = 0, y = 0, width = 0, height = 0, lines, kind, children = [] }: Box): string[] {
  const texts = lines.map(
    (line, index) => `<text x="${x + MARGIN}" y="${y + LINE * (index + 1) - 2}">${escaped(line)}</text>`,
  );
  const rect = `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
  return [rect, ...texts, ...children.flatMap(drawnBox)];
}

function drawnArrow({ sections = [], labels = [] }: Arrow): string {
  const paths = sections.map(({ startPoint, bendPoints = [], endPoint }) => {
    const points = [startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${x},${y}`);
    return `<path d="M${points.join(' L')}" marker-end="url(#end)"/>`;
  });
  const texts = labels.map(
    ({ x = 0, y = 0, text = '' }) => `<text class="event" x="${x}" y="${y + LINE - 5}">${escaped(text)}</text>`,
  );
  return [...paths, ...texts].join('');
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`).replace(/\p{Cc}/gu, ' ');
