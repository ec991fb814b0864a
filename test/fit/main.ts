/**
 * `npm run fit -- CHECKOUT [--python python2.7] [--adapted] [--output FILE] [suite ...]`: RackHD's own tests (FIT) against a daemon that
 * it starts, with a RabbitMQ. CHECKOUT is one of github.com/RackHD/RackHD; the Python needs its `test/requirements.txt`,
 * and `on-http_api2_0`. Nothing of the checkout is changed. Prints a line for each test that does not pass, with its
 * reason, and the figures of each suite; exit code 1 if a suite could not run.
 */
import { parseArgs } from 'node:util';
import { folder } from '../support/ava/folder.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { adaptions } from './adaptions.ts';
import { copyOf } from './checkout.ts';
import { runSuite } from './run.ts';
import { fitScene } from './scene.ts';

const SUITES = ['tests/api-cit/v2_0', 'tests/rackhd20'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string', default: 'python2.7' },
    adapted: { type: 'boolean', default: false },
    output: { type: 'string' },
  },
});
const [checkout, ...named] = positionals;
if (checkout === undefined) {
  console.error('fit: name a checkout of github.com/RackHD/RackHD');
  process.exit(2);
}

const scope = new OwnScope();
let code = 0;
try {
  for (const suite of named.length === 0 ? SUITES : named) {
    const { ports, amqp } = await fitScene(scope);
    const copy = copyOf(checkout, folder(scope), ports, values.adapted);
    const { ran, skipped, failures } = await runSuite({
      copy,
      suite,
      python: values.python,
      port: ports.http,
      amqp,
      output: values.output,
    });
    for (const { test, reason } of failures) console.log(`${suite}: ${test}: ${reason}`);
    console.log(`${suite}: ${ran - skipped - failures.length} of ${ran} pass, ${skipped} skipped by the suite`);
    if (ran === 0) code = 1;
  }
  if (values.adapted) for (const { file, why } of adaptions) console.log(`adapted ${file}: ${why}`);
} catch (error) {
  console.error('fit:', error);
  code = 1;
} finally {
  await scope.close();
}
process.exit(code);
