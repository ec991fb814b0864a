/** The pages of the console; those of `navigation.ts` are in its left bar. All but the first are loaded when they are first shown. */
import type { FunctionComponent } from 'preact';
import { lazy } from 'preact-iso';
import type { PagePath } from './page-paths.ts';
import { Overview } from './pages/overview.tsx';

export interface PageEntry {
  /** Below /ui; parameters as `:name`. */
  path: PagePath;
  component: FunctionComponent;
}

const page = (path: PagePath, component: FunctionComponent): PageEntry => ({ path, component });

export const pageList: readonly PageEntry[] = [
  page('/', Overview),
  page(
    '/nodes',
    lazy(() => import('./pages/nodes.tsx').then(({ NodesPage }) => NodesPage)),
  ),
  page(
    '/nodes/:id',
    lazy(() => import('./pages/node.tsx').then(({ NodePage }) => NodePage)),
  ),
  page(
    '/workflows',
    lazy(() => import('./pages/workflows.tsx').then(({ WorkflowsPage }) => WorkflowsPage)),
  ),
  page(
    '/workflows/:id',
    lazy(() => import('./pages/workflow.tsx').then(({ WorkflowPage }) => WorkflowPage)),
  ),
  page(
    '/batches/:id',
    lazy(() => import('./pages/batch.tsx').then(({ BatchPage }) => BatchPage)),
  ),
  page(
    '/rollouts',
    lazy(() => import('./pages/rollouts.tsx').then(({ RolloutsPage }) => RolloutsPage)),
  ),
  page(
    '/rollouts/:id',
    lazy(() => import('./pages/rollout.tsx').then(({ RolloutPage }) => RolloutPage)),
  ),
  page(
    '/rehearsals/:id',
    lazy(() => import('./pages/rehearsal.tsx').then(({ RehearsalPage }) => RehearsalPage)),
  ),
  page(
    '/baselines',
    lazy(() => import('./pages/baselines.tsx').then(({ BaselinesPage }) => BaselinesPage)),
  ),
  page(
    '/baselines/:id',
    lazy(() => import('./pages/baseline.tsx').then(({ BaselinePage }) => BaselinePage)),
  ),
  page(
    '/failures',
    lazy(() => import('./pages/failures.tsx').then(({ FailuresPage }) => FailuresPage)),
  ),
  page(
    '/certificates',
    lazy(() => import('./pages/certificates.tsx').then(({ CertificatesPage }) => CertificatesPage)),
  ),
  page(
    '/certificates/:id',
    lazy(() => import('./pages/certificate.tsx').then(({ CertificatePage }) => CertificatePage)),
  ),
  page(
    '/graphs',
    lazy(() => import('./pages/graphs.tsx').then(({ GraphsPage }) => GraphsPage)),
  ),
  page(
    '/graphs/:name',
    lazy(() => import('./pages/graph.tsx').then(({ GraphPage }) => GraphPage)),
  ),
  page(
    '/simulator',
    lazy(() => import('./pages/simulator.tsx').then(({ SimulatorPage }) => SimulatorPage)),
  ),
  page(
    '/skus',
    lazy(() => import('./pages/skus.tsx').then(({ SkusPage }) => SkusPage)),
  ),
  page(
    '/skus/:id',
    lazy(() => import('./pages/sku.tsx').then(({ SkuPage }) => SkuPage)),
  ),
  page(
    '/hooks',
    lazy(() => import('./pages/hooks.tsx').then(({ HooksPage }) => HooksPage)),
  ),
  page(
    '/events',
    lazy(() => import('./pages/events.tsx').then(({ EventsPage }) => EventsPage)),
  ),
  page(
    '/admin',
    lazy(() => import('./pages/admin.tsx').then(({ AdminPage }) => AdminPage)),
  ),
  page(
    '/parts',
    lazy(() => import('./pages/parts.tsx').then(({ PartsPage }) => PartsPage)),
  ),
];
