/**
 * FerretDB 1.24 on SQLite: a free server of MongoDB's wire protocol that Go can build, for machines without a `mongod`.
 * Run as a program, this file builds it and prints the result.
 *
 * It is built from its own sources with the corrections below: where it violates MongoDB's guarantees, a store could
 * not be tested on it. Passing tests therefore show conformance with MongoDB's rules, not with a plain FerretDB 1.24.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildProgram, type GoProgram, pathOfProgram } from './go-program.ts';

const VERSION = 'v1.24.0';

/** ava times out after two minutes without a result; finished downloads are kept for the next attempt. */
const TEST_MS = 100_000;
const PROGRAM_MS = 480_000;

const added = {
  // It refuses to start without this file.
  'build/version/version.txt': VERSION,
  'internal/handler/turns.go': 'package handler\n\nimport "sync"\n\nvar turns sync.Mutex\n',
  'internal/backends/sqlite/where.go': readFileSync(new URL('ferretdb-where.go', import.meta.url), 'utf8'),
};

const SQLITE_COLLECTION = 'internal/backends/sqlite/collection.go';

const corrections: GoProgram['corrections'] = [
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

const program: GoProgram = {
  name: 'ferretdb',
  module: 'github.com/FerretDB/FerretDB',
  version: VERSION,
  command: './cmd/ferretdb',
  added,
  corrections,
};

/** The path of the built program. */
export const ferretDb = pathOfProgram(program);

/** Builds it if necessary, which takes a minute the first time. @returns undefined, or the reason of a failure */
export const buildFerretDb = (limit = TEST_MS): Promise<string | undefined> => buildProgram(program, limit);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = await buildFerretDb(PROGRAM_MS);
  console.log(missing ?? 'FerretDB is built');
  process.exitCode = missing ? 1 : 0;
}
