/** The pages of single names. They are written when the site is built, into a folder that git ignores. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { configurationEntries } from './configuration.ts';
import { type Entry, entryPage, type Overview, type Texts } from './entry.ts';
import { errorEntries } from './errors.ts';
import { eventEntries } from './events.ts';
import { graphEntries } from './graphs.ts';
import { metricEntries } from './metrics.ts';
import { generatedPages } from './pages.ts';
import { taskEntries } from './tasks.ts';

export const ENTRIES = 'docs/generated';

/** By the name of the folder: the entries, and the page of all of them. */
const kinds: Readonly<Record<string, { entries(): Entry[]; overview: Overview }>> = {
  errors: { entries: errorEntries, overview: { path: 'docs/reference/errors.md', title: 'Every error' } },
  graphs: { entries: graphEntries, overview: { path: 'docs/reference/graphs.md', title: 'Every graph' } },
  tasks: { entries: taskEntries, overview: { path: 'docs/reference/tasks.md', title: 'Every task' } },
  events: { entries: eventEntries, overview: { path: 'docs/reference/events.md', title: 'Every event' } },
  metrics: { entries: metricEntries, overview: { path: 'docs/reference/metrics.md', title: 'Every metric' } },
  configuration: {
    entries: configurationEntries,
    overview: { path: 'docs/reference/configuration.md', title: 'Every key of the configuration' },
  },
};

/** @returns the pages by their path, relative to the root */
export function entryPages(): Map<string, string> {
  const sources = textsOf(['engine', 'api', 'graphs', 'tasks', 'fixtures/deploy/monitoring'], /\.(?:tsx?|yml|json)$/);
  const pages = pagesThatExplain();
  return new Map(
    Object.entries(kinds).flatMap(([kind, { entries, overview }]) =>
      entries().map((entry) => {
        const path = `${ENTRIES}/${kind}/${entry.name}.md`;
        return [path, entryPage(entry, path, overview, sources, pages)] as const;
      }),
    ),
  );
}

/** Without those that are generated, and without lists of decisions and results. */
function pagesThatExplain(): Texts {
  const all = textsOf(['docs', 'engine', 'api', 'graphs', 'tasks', 'fixtures', 'test'], /\.md$/);
  const isText = (path: string) => !(path in generatedPages) && !/^(?:DECISIONS|2\d{3}-.*)\.md$/.test(basename(path));
  return new Map([...all].filter(([path]) => isText(path)));
}

function textsOf(folders: readonly string[], names: RegExp): Texts {
  const files = folders.flatMap((folder) =>
    readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => names.test(name) && !/^(?:node_modules|generated)\//.test(name))
      .map((name) => join(folder, name)),
  );
  return new Map(files.sort().map((file) => [file, readFileSync(packagePath(file), 'utf8')]));
}
