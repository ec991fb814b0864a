/** The generated pages, by their path in the package. */
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { graphsPage } from './graphs.ts';
import { machinesPage } from './machines.ts';
import { metricsPage } from './metrics.ts';
import { routesPage } from './routes.ts';
import { tasksPage } from './tasks.ts';

export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/reference/errors.md': errorsPage,
  'docs/reference/routes.md': routesPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/machines.md': machinesPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/graphs.md': graphsPage,
  'docs/reference/tasks.md': tasksPage,
};
