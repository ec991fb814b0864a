/** `npm run clients -- [--out FOLDER]`: makes the packages of the clients. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAnsible } from './ansible/build.mjs';
import { buildPython } from './python/build.mjs';
import { requireTools, root } from './tools.mjs';

const { out } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'node_modules/.cache/nodewright/client-packages') } },
}).values;

requireTools();
const target = resolve(out);
mkdirSync(target, { recursive: true });
buildPython(target);
buildAnsible(target);
console.log(target);
