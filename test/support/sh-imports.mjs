/** Lets Node.js import shell scripts as texts, as esbuild does for definitions. For `--import`. */
import { register } from 'node:module';

register('./sh-loader.mjs', import.meta.url);
