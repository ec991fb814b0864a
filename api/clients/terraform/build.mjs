/**
 * Builds the provider of Terraform into `dist/clients/terraform/`: `node --import tsx api/clients/terraform/build.mjs [--out FOLDER] [GOOS/GOARCH ...]`.
 * It embeds the OpenAPI document of this checkout, from which it makes its resources. Two builds of one commit with the same Go are equal.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openApi } from '../../documents/openapi.ts';
import { northboundRoutes } from '../../endpoint/northbound.ts';
import { RequestMetrics } from '../../middleware/measure.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = join(folder, '../../..');
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist/clients/terraform') } },
  allowPositionals: true,
});
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = resolve(values.out);

const go = (env, ...args) =>
  execFileSync('go', args, { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8', timeout: 600_000 }).trim();

/** The compiler that is installed, without C and without what depends on the checkout. */
const REPRODUCIBLE = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false', GOWORK: 'off' };

writeFileSync(join(folder, 'provider/openapi.json'), JSON.stringify(openApi(northboundRoutes(new RequestMetrics()))));
mkdirSync(out, { recursive: true });
const platforms = positionals.length > 0 ? positionals : [`${go({}, 'env', 'GOOS')}/${go({}, 'env', 'GOARCH')}`];
for (const platform of platforms) {
  const [GOOS, GOARCH] = platform.split('/');
  const file = join(
    out,
    `terraform-provider-nodewright_v${version}${positionals.length > 0 ? `_${GOOS}_${GOARCH}` : ''}`,
  );
  const flags = ['-trimpath', '-ldflags', `-s -w -buildid= -X main.version=${version}`];
  go({ ...REPRODUCIBLE, GOOS, GOARCH }, 'build', ...flags, '-o', file, '.');
  console.log(file);
}
