/** The code for the ends of workflows, with the remedies of all errors, is loaded when the first one is shown. */
import { lazy } from 'preact-iso';

export const LazyEndedReason = lazy(() => import('./ended-reason.tsx').then(({ EndedReason }) => EndedReason));
