/** The code for the ends of workflows, with the remedies of all errors, is loaded when the first one is shown. */
import { loadWhenShown } from '../../parts/load-when-shown.tsx';

export const LazyEndedReason = loadWhenShown(() => import('./ended-reason.tsx').then(({ EndedReason }) => EndedReason));
