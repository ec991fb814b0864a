/** The pages of the console; those of `navigation.ts` are in its left bar. All but the first are loaded when they are first shown. */
import type { FunctionComponent } from 'preact';
import type { PagePath } from './page-paths.ts';
import { NotLoadedPage } from './pages/not-loaded.tsx';
import { Overview } from './pages/overview.tsx';
import { loadWhenShown } from './parts/load-when-shown.tsx';

export interface PageEntry {
  /** Below /ui; parameters as `:name`. */
  path: PagePath;
  component: FunctionComponent;
}

const page = (path: PagePath, load: () => Promise<FunctionComponent>): PageEntry => ({
  path,
  component: loadWhenShown(load, NotLoadedPage),
});

export const pageList: readonly PageEntry[] = [
  { path: '/', component: Overview },
  page('/nodes', () => import('./pages/nodes.tsx').then(({ NodesPage }) => NodesPage)),
  page('/nodes/:id', () => import('./pages/node.tsx').then(({ NodePage }) => NodePage)),
  page('/workflows', () => import('./pages/workflows.tsx').then(({ WorkflowsPage }) => WorkflowsPage)),
  page('/workflows/:id', () => import('./pages/workflow.tsx').then(({ WorkflowPage }) => WorkflowPage)),
  page('/batches/:id', () => import('./pages/batch.tsx').then(({ BatchPage }) => BatchPage)),
  page('/rollouts', () => import('./pages/rollouts.tsx').then(({ RolloutsPage }) => RolloutsPage)),
  page('/rollouts/:id', () => import('./pages/rollout.tsx').then(({ RolloutPage }) => RolloutPage)),
  page('/rehearsals/:id', () => import('./pages/rehearsal.tsx').then(({ RehearsalPage }) => RehearsalPage)),
  page('/baselines', () => import('./pages/baselines.tsx').then(({ BaselinesPage }) => BaselinesPage)),
  page('/baselines/:id', () => import('./pages/baseline.tsx').then(({ BaselinePage }) => BaselinePage)),
  page('/failures', () => import('./pages/failures.tsx').then(({ FailuresPage }) => FailuresPage)),
  page('/certificates', () => import('./pages/certificates.tsx').then(({ CertificatesPage }) => CertificatesPage)),
  page('/certificates/:id', () => import('./pages/certificate.tsx').then(({ CertificatePage }) => CertificatePage)),
  page('/graphs', () => import('./pages/graphs.tsx').then(({ GraphsPage }) => GraphsPage)),
  page('/graphs/:name', () => import('./pages/graph.tsx').then(({ GraphPage }) => GraphPage)),
  page('/simulator', () => import('./pages/simulator.tsx').then(({ SimulatorPage }) => SimulatorPage)),
  page('/skus', () => import('./pages/skus.tsx').then(({ SkusPage }) => SkusPage)),
  page('/skus/:id', () => import('./pages/sku.tsx').then(({ SkuPage }) => SkuPage)),
  page('/hooks', () => import('./pages/hooks.tsx').then(({ HooksPage }) => HooksPage)),
  page('/events', () => import('./pages/events.tsx').then(({ EventsPage }) => EventsPage)),
  page('/admin', () => import('./pages/admin.tsx').then(({ AdminPage }) => AdminPage)),
  page('/parts', () => import('./pages/parts.tsx').then(({ PartsPage }) => PartsPage)),
];
