/**
 * OpenTofu, the free successor of Terraform, for machines that have neither. Run as a program, this file builds it and prints the result.
 *
 * It is built without what stores states and modules at the providers of clouds and exports traces, which is most of its code, and without
 * optimizations, which take longer than they save here.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onPath } from '../ava/on-path.ts';
import { buildProgram, type GoProgram, pathOfProgram } from './go-program.ts';

const PROGRAM_MS = 900_000;

const BACKENDS = ['azure', 'consul', 'cos', 'gcs', 'kubernetes', 'oss', 'pg', 's3'].join('|');
const KEYS = ['aws_kms', 'gcp_kms', 'openbao'].join('|');
const GETTER = 'getter';
const backends = 'internal/backend/init/init.go';
const keys = 'internal/encryption/default_registry.go';

const TRACING = `package tracing

import "context"

func OpenTelemetryInit(ctx context.Context) (context.Context, error) { return ctx, nil }

const OTELExporterEnvVar = "OTEL_TRACES_EXPORTER"

var isTracingEnabled bool
`;

const program: GoProgram = {
  name: 'tofu',
  module: 'github.com/opentofu/opentofu',
  version: 'v1.10.7',
  command: './cmd/tofu',
  flags: [
    ...['github.com', 'go.opentelemetry.io', 'golang.org', 'google.golang.org', 'oras.land'].map(
      (owner) => `-gcflags=${owner}/...=-N -l`,
    ),
    '-ldflags=-s -w',
  ],
  replaced: [{ module: 'github.com/hashicorp/go-getter', version: 'v1.7.5', to: GETTER }],
  removed: ['get_s3.go', 'get_gcs.go', 'detect_s3.go', 'detect_gcs.go'].map((name) => `${GETTER}/${name}`),
  added: { 'internal/tracing/init.go': TRACING },
  corrections: [
    // Debian's Go is an older patch of the same version.
    { file: 'go.mod', found: /^go 1\.24\.9$/gm, put: 'go 1.24.0' },
    { file: backends, found: new RegExp(`^.*/remote-state/(?:${BACKENDS})"\\n`, 'gm'), put: '' },
    { file: backends, found: new RegExp(`^\\t\\t"(?:azurerm|${BACKENDS})": .*\\n`, 'gm'), put: '' },
    { file: keys, found: new RegExp(`^.*/keyprovider/(?:${KEYS})"\\n`, 'gm'), put: '' },
    { file: keys, found: new RegExp(`^\\tif err := .*\\((?:${KEYS})\\.New.*\\n.*\\n\\t\\}\\n`, 'gm'), put: '' },
    ...['detect.go', 'get.go'].map((name) => ({
      file: `${GETTER}/${name}`,
      found: /^.*new\((?:S3|GCS)(?:Detector|Getter)\).*\n/gm,
      put: '',
    })),
    {
      file: 'internal/getmodules/getter.go',
      found: /^.*new\(getter\.(?:S3|GCS)(?:Detector|Getter)\).*\n/gm,
      put: '',
    },
  ],
};

/** A program of this machine, or the one that was built. */
export function openTofu(): { path: string; missing: string | undefined } {
  const built = pathOfProgram(program);
  const path = onPath('tofu') ?? onPath('terraform') ?? (existsSync(built) ? built : undefined);
  const missing = 'neither tofu nor terraform; node --import tsx test/support/servers/opentofu.ts builds one';
  return { path: path ?? '', missing: path === undefined ? missing : undefined };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = await buildProgram(program, PROGRAM_MS);
  console.log(missing ?? 'OpenTofu is built');
  process.exitCode = missing ? 1 : 0;
}
