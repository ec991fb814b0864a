/** The size of the first page of the console, and the rules of its styles. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { allStates } from '../../api/console/data/shown-states.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';

const MOST_KB = 120;
const assets = packagePath('dist/console/assets');
const sources = packagePath('api/console');

/** The names of the assets that a text refers to. */
const named = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => String(name));

test('the first page loads at most 120 KB, with its fonts', (t) => {
  const page = readFileSync(packagePath('dist/console/index.html'), 'utf8');
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    if (name.endsWith('.js'))
      named(readFileSync(join(assets, name), 'utf8'), /(?:import|from)"(?:\.|\/ui\/assets)\/([\w.-]+)"/g).forEach(load);
  };
  named(page, /\/ui\/assets\/([\w.-]+)/g).forEach(load);
  const [style = ''] = [...loaded].filter((name) => name.endsWith('.css'));
  // A font of code is loaded with the first code that is shown.
  named(readFileSync(join(assets, style), 'utf8'), /assets\/(inter-[\w.-]+)/g).forEach(load);
  const bytes = [...loaded].map((name) => statSync(join(assets, `${name}.gz`)).size);
  t.true(loaded.size > 3, [...loaded].join(' '));
  const kilobytes = bytes.reduce((sum, size) => sum + size, 0) / 1_024;
  t.true(kilobytes <= MOST_KB, `${kilobytes.toFixed(1)} KB`);
});

const filesOf = (kind: RegExp): string[] =>
  readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => kind.test(name));

const COLOR =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lch|lab|hwb|color)\(|light-dark\(|[:\s](?:black|white|red|green|blue|gr[ae]y|orange)(?=[;\s])/i;
const TYPE = /(?:^|[^-])font(?:-size|-family)?:(?!\s*(?:inherit|var\(--(?:type|mono|sans)))/;

test('nothing outside tokens.css names a color or a size of type', (t) => {
  for (const name of filesOf(/\.css$/).filter((path) => !path.endsWith('tokens.css'))) {
    const lines = readFileSync(join(sources, name), 'utf8')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split('\n');
    t.deepEqual(
      lines.filter((line) => COLOR.test(line) || TYPE.test(line)),
      [],
      name,
    );
  }
  for (const name of filesOf(/\.tsx?$/)) {
    const styled = named(
      readFileSync(join(sources, name), 'utf8'),
      /((?:style|fill|stroke|color|fontSize)=(?:"[^"]*"|\{.*))/g,
    );
    t.deepEqual(
      styled.filter((text) => COLOR.test(text) || /fontSize|font-size/.test(text)),
      [],
      name,
    );
  }
});

test('a state has its icon, word and color by StatePill only', (t) => {
  const files = filesOf(/\.tsx$/).filter((name) => !name.endsWith('state-pill.tsx'));
  const withPill = files.filter((name) =>
    /class(?:Name)?=[^>]*\bpill\b/.test(readFileSync(join(sources, name), 'utf8')),
  );
  t.deepEqual(withPill, []);
  const words = allStates.map((state) => state.replaceAll('_', ' ')).join('|');
  const withWord = files.filter((name) =>
    new RegExp(`class="(?:running|waiting|succeeded|failed|cancelled|held)"[^>]*>\\s*(?:${words})\\s*<`).test(
      readFileSync(join(sources, name), 'utf8'),
    ),
  );
  t.deepEqual(withWord, []);
});

test('lengths are on a grid of 4 px', (t) => {
  for (const name of filesOf(/\.css$/).filter((path) => !path.endsWith('tokens.css'))) {
    const lengths = named(readFileSync(join(sources, name), 'utf8'), /(?<![\w.])(\d*\.?\d+)rem/g);
    t.deepEqual(
      lengths.filter((length) => !Number.isInteger(4 * Number(length))),
      [],
      name,
    );
  }
});

/** The luminance of `oklch(l c h)`, as WCAG has it. */
function luminance([l = 0, c = 0, h = 0]: readonly number[]): number {
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const [long, medium, short] = [
    (l + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (l - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (l - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ] as const;
  const inGamut = (value: number) => Math.min(1, Math.max(0, value));
  return (
    0.2126 * inGamut(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short) +
    0.7152 * inGamut(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short) +
    0.0722 * inGamut(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short)
  );
}

test('texts and states have a contrast of 4.5 on each ground, in both themes', (t) => {
  const tokens = new Map(
    [
      ...readFileSync(join(sources, 'styles/tokens.css'), 'utf8').matchAll(
        /--(\w+): light-dark\(oklch\((.*?)\), oklch\((.*?)\)\)/g,
      ),
    ].map(([, name, ...themes]) => [String(name), themes.map((theme) => luminance(theme.split(' ').map(Number)))]),
  );
  for (const text of ['n11', 'n12', 'running', 'waiting', 'succeeded', 'failed', 'held'])
    for (const ground of ['n1', 'n2', 'n3'])
      for (const theme of [0, 1]) {
        const [one, other] = [tokens.get(text)?.[theme] ?? 0, tokens.get(ground)?.[theme] ?? 0];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        t.true(contrast >= 4.5, `${text} on ${ground}: ${contrast.toFixed(2)}`);
      }
});
