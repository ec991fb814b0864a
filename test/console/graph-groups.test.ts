/** The list of graphs in the form of a launch. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { groupedGraphs, type ListedGraph } from '../../api/console/data/graph-groups.ts';
import { graphTitle } from '../../api/console/data/graph-titles.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';

const erase = { name: 'Graph.Drive.SecureErase', title: 'Secure Erase Drives' };
const off = { name: 'Graph.PowerOff.Node', title: 'PowerOff Node' };
const on = { name: 'Graph.PowerOn.Node', title: 'PowerOn Node' };
const yours = { name: 'Graph.Mine', title: 'Move the rack' };
const all: readonly ListedGraph[] = [yours, erase, off, on];

const shownIn = (recent: readonly string[], search: string) =>
  groupedGraphs(all, recent, search).map(({ title, graphs }) => [title, ...graphs.map(({ name }) => name)]);

test('every graph of the package has a group, so that only those of the user are theirs', (t) => {
  const files = readdirSync(packagePath('graphs')).filter((name) => name.endsWith('.ts'));
  t.true(files.length > 30);
  for (const file of files) {
    const [, name = ''] =
      /injectableName: '([^']+)'/.exec(readFileSync(join(packagePath('graphs'), file), 'utf8')) ?? [];
    const [group] = groupedGraphs([{ name, title: '' }], [], '');
    t.not(group?.title, 'Yours', file);
  }
});

test('a friendly name that the interface of RackHD fixes is no title', (t) => {
  t.is(graphTitle(off.name, off.title), 'Power off');
  t.is(graphTitle(yours.name, yours.title), 'Move the rack');
});

test('graphs are listed in groups, those of the user last, those launched last first', (t) => {
  t.deepEqual(shownIn([], ''), [
    ['Power', on.name, off.name],
    ['Erase', erase.name],
    ['Yours', yours.name],
  ]);
  t.deepEqual(shownIn([yours.name, off.name, 'Graph.Gone'], ''), [
    ['Recent', yours.name, off.name],
    ['Power', on.name],
    ['Erase', erase.name],
  ]);
});

test('a graph is found by words of its title, its name and its group', (t) => {
  t.deepEqual(shownIn([], 'erase'), [['Erase', erase.name]]);
  t.deepEqual(shownIn([], 'POWER off'), [['Power', off.name]]);
  t.deepEqual(shownIn([], 'yours rack'), [['Yours', yours.name]]);
  t.deepEqual(shownIn([], 'nothing'), []);
});
