/** The program of a daemon, as `npm start` runs it. */
import { serve } from './serve.ts';

await serve(process.argv.slice(2));
