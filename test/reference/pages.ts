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
  'api/ERRORS.md': errorsPage,
  'api/ROUTES.md': routesPage,
  'engine/CONFIGURATION.md': configurationPage,
  'engine/EVENTS.md': eventsPage,
  'engine/MACHINES.md': machinesPage,
  'engine/METRICS.md': metricsPage,
  'graphs/REFERENCE.md': graphsPage,
  'tasks/REFERENCE.md': tasksPage,
};
