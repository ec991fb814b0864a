/**
 * FerretDB 1.24 on SQLite: a free server of MongoDB's wire protocol that Go can build, for machines without a `mongod`.
 * Run as a program, this file builds it and prints the result.
 *
 * It is built from its own sources with the corrections below: where it violates MongoDB's guarantees, a store could
 * not be tested on it. Passing tests therefore show conformance with MongoDB's rules, not with a plain FerretDB 1.24.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath } from '../ava/on-path.ts';

const MODULE = 'github.com/FerretDB/FerretDB';
const VERSION = 'v1.24.0';

/** ava times out after two minutes without a result; finished downloads are kept for the next attempt. */
const TEST_MS = 100_000;
const PROGRAM_MS = 480_000;

/** Files that are added. */
const added: Record<string, string> = {
  // It refuses to start without this file.
  'build/version/version.txt': VERSION,
  'internal/handler/turns.go': 'package handler\n\nimport "sync"\n\nvar turns sync.Mutex\n',
  'internal/backends/sqlite/where.go': readFileSync(new URL('ferretdb-where.go', import.meta.url), 'utf8'),
};

const SQLITE_COLLECTION = 'internal/backends/sqlite/collection.go';

/** Replacements, applied to every occurrence in the file. */
const corrections: { file: string; found: string; put: string }[] = [
  // It reads, changes and writes in three steps: of two concurrent changes of a document both would succeed.
  ...['Update', 'Delete', 'FindAndModify'].map((name) => {
    const found = `) Msg${name}(connCtx context.Context, msg *wire.OpMsg) (*wire.OpMsg, error) {\n`;
    const put = `${found}\tturns.Lock()\n\tdefer turns.Unlock()\n`;
    return { file: `internal/handler/msg_${name.toLowerCase()}.go`, found, put };
  }),
  // Each change of a bulk write would keep a connection to SQLite until the last one, and a hundred block forever.
  {
    file: 'internal/handler/msg_update.go',
    found: 'result, err := common.UpdateDocument(ctx, c, "update", iter, &u)\n',
    put: 'result, err := common.UpdateDocument(ctx, c, "update", iter, &u)\n\t\tcloser.Close()\n',
  },
  // A duplicate value of a unique field in an update would be an internal error.
  {
    file: SQLITE_COLLECTION,
    found: 'r, err := tx.ExecContext(ctx, q, string(b), arg)\n',
    put: `r, err := tx.ExecContext(ctx, q, string(b), arg)
      var se *sqlite3.Error
      if errors.As(err, &se) && se.Code() == sqlite3lib.SQLITE_CONSTRAINT_UNIQUE {
        return backends.NewError(backends.ErrorCodeInsertDuplicateID, err)
      }\n`,
  },
  // Every filter would scan the table. Indexes contain SQL values instead of JSON texts, which sort differently; except
  // unique ones, where a number must not equal a boolean.
  {
    file: 'internal/backends/sqlite/metadata/metadata.go',
    found: `"->'$._id'"`,
    put: '"->>\\"_id\\""',
  },
  {
    file: 'internal/backends/sqlite/metadata/registry.go',
    found: 'columns[i] = fmt.Sprintf("%s->%s", DefaultColumn, strings.Join(fields, "->"))\n',
    put: `last := len(fields) - 1
      if !index.Unique || key.Field == "_id" {
        fields[last] = ">" + fields[last]
      }
      columns[i] = fmt.Sprintf("%s->%s", DefaultColumn, strings.Join(fields, "->"))\n`,
  },
  { file: SQLITE_COLLECTION, found: 'params.Filter.Len() == 1', put: 'params.Filter.Len() > 0' },
  { file: SQLITE_COLLECTION, found: 'WHERE %s = ?`', put: "WHERE %s = ?->>'$'`" },
  {
    file: SQLITE_COLLECTION,
    found: 'placeholders[i] = "?"\n\t\t\targs[i] = string(',
    put: `placeholders[i] = "?->>'$'"\n\t\t\targs[i] = string(`,
  },
  {
    file: SQLITE_COLLECTION,
    found: '\tq += whereClause\n\tq += prepareOrderByClause(params.Sort)\n',
    put: `
      if whereClause == "" {
        whereClause, args = where(params.Filter)
      }
      q += whereClause
      if params.Sort.Len() > 0 && !meta.Capped() {
        q += " ORDER BY " + metadata.IDColumn
      } else {
        q += prepareOrderByClause(params.Sort)
      }\n`,
  },
  // A page in the order of its ids, which are texts here, would sort all documents.
  {
    file: 'internal/handler/msg_find.go',
    found: '\tcase params.Sort.Len() == 1:\n',
    put: `\tcase params.Sort.Len() == 1:
      if way, _ := params.Sort.Get("_id"); way == int64(1) && !cInfo.Capped() {
        qp.Sort = must.NotFail(types.NewDocument("$natural", int64(1)))
        params.Sort = nil
        break
      }\n`,
  },
  // A third of its CPU time would be spent on checks of its own iterators.
  { file: 'internal/util/resource/resource.go', found: '\tcheckArgs(obj, token)\n', put: '\treturn\n' },
  // Nested arrays would be rejected.
  {
    file: 'internal/types/document_validation.go',
    found: `return newValidationError(ErrValidation, fmt.Errorf(
						"invalid value: { %q: %v } (nested arrays are not supported)", key, FormatAnyValue(value),
					))`,
    put: '',
  },
];

const recipe = createHash('sha256')
  .update(JSON.stringify([added, corrections]))
  .digest('hex')
  .slice(0, 8);
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'nodewright', `ferretdb-1.24-${recipe}`);

/** The path of the built program. */
export const ferretDb = join(cache, 'ferretdb');

/** Builds it if necessary, which takes a minute the first time. @returns undefined, or the reason of a failure */
export async function buildFerretDb(limit = TEST_MS): Promise<string | undefined> {
  if (existsSync(ferretDb)) return undefined;
  if (!onPath('go')) return 'neither MONGODB_URL, nor a mongod on the PATH, nor Go to build FerretDB with';
  const work = join(cache, randomBytes(4).toString('hex'));
  const until = AbortSignal.timeout(limit);
  try {
    mkdirSync(work, { recursive: true });
    const { Dir } = JSON.parse(await go(work, until, 'mod', 'download', '-json', `${MODULE}@${VERSION}`));
    const source = join(work, 'source');
    cpSync(Dir, source, { recursive: true });
    // Go's module cache is read-only.
    spawnSync('chmod', ['-R', 'u+w', source]);
    correct(source);
    await go(source, until, 'build', '-trimpath', '-o', join(work, 'ferretdb'), './cmd/ferretdb');
    renameSync(join(work, 'ferretdb'), ferretDb);
    return undefined;
  } catch (error) {
    return `FerretDB did not build: ${(error as Error).message}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function correct(source: string): void {
  for (const [file, text] of Object.entries(added)) writeFileSync(join(source, file), text);
  for (const { file, found, put } of corrections) {
    const text = readFileSync(join(source, file), 'utf8');
    if (!text.includes(found)) throw new Error(`${file} differs from version ${VERSION}`);
    // A function, because `$'` in a replacement text would be a pattern.
    writeFileSync(
      join(source, file),
      text.replaceAll(found, () => put),
    );
  }
}

/** Returns its output. @throws with the end of its output */
async function go(folder: string, signal: AbortSignal, ...args: string[]): Promise<string> {
  // Uses only the installed compiler: Go would download another one for a newer module.
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false', GOWORK: 'off' };
  const child = spawn('go', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let [output, complaint] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-1_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`go ${args[0]}: ${complaint}`);
  return output;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = await buildFerretDb(PROGRAM_MS);
  console.log(missing ?? 'FerretDB is built');
  process.exitCode = missing ? 1 : 0;
}
