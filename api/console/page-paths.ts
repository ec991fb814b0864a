/** The addresses of the pages, below /ui; parameters as `:name`. */
export const pagePaths = [
  '/',
  '/nodes',
  '/nodes/:id',
  '/workflows',
  '/workflows/:id',
  '/batches/:id',
  '/rollouts',
  '/rollouts/:id',
  '/rehearsals/:id',
  '/baselines',
  '/baselines/:id',
  '/failures',
  '/certificates',
  '/certificates/:id',
  '/graphs',
  '/graphs/:name',
  '/simulator',
  '/skus',
  '/skus/:id',
  '/hooks',
  '/events',
  '/admin',
  '/parts',
] as const;

export type PagePath = (typeof pagePaths)[number];
