/**
 * A thread of the embedded database, started by `database.ts`: runs requests on the SQLite file and answers them in
 * their order. libsql is synchronous, so that each commit would stop the main thread until the disk has it.
 *
 * 1. All requests that have arrived run in one transaction, and are answered after its commit: one sync of the disk for
 *    all of them. A read sees the writes before it.
 * 2. A request that fails, as by a unique value that is taken, changes nothing; the others are not affected.
 * 3. When the disk is full, the transaction is rolled back and its requests are repeated one by one, so that reads and
 *    what still has space succeed.
 * 4. After an error of the disk the outcome of the transaction is unknown: the thread ends.
 * 5. One thread writes. Another one may read what is committed, without waiting for it.
 */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import Database from 'libsql';

const { file, isKnown, readsOnly } = workerData;

/** Written to the database file together; up to this many pages of 4 KiB are written again if it was not closed. */
const CHECKPOINT_PAGES = 4_000;
/** Size of the log from the start: when the disk is full, removals need its space. */
const LOG_BYTES = 4 * 1024 * 1024;
/** The log is cut to this size after a transaction that made it longer. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const CACHE_KIB = 16 * 1024;
const READER_CACHE_KIB = 8 * 1024;
/** Texts come from code, but contain fields named by filters; this bounds their number. */
const MAX_STATEMENTS = 400;
/** Another program, such as sqlite3, may have the file open for a moment. */
const BUSY_MS = 500;

/** Changed rows after which the statistics for plans are made from some entries of each index, in a few ms; then twice as many. */
const FIRST_ANALYSIS = 2_000;
const LAST_ANALYSIS = 128_000;
const ANALYZED_ENTRIES = 400;

/** This process alone has the file, so its index of the log needs no shared memory, which could not grow on a full disk. */
const PARAMETERS = 'vfs=unix-excl';
const SETTINGS = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${MAX_LOG_BYTES};
  PRAGMA cache_size = -${CACHE_KIB}; PRAGMA analysis_limit = ${ANALYZED_ENTRIES}; PRAGMA user_version = 1`;

/** Errors of more than the statement itself. */
const ENDING = /^SQLITE_(?!ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG|CORRUPT|NOTADB)/;

let db;
let isSynced = true;
/** Whether nothing was written into the file since it is held. */
let isUntouched = true;
let isHeld = false;
/** Whether the transaction is followed by a checkpoint. */
let isSettling = false;
let changes = 0;
let analysisAfter = FIRST_ANALYSIS;
/** By text, least recently used first. */
const statements = new Map();

function statement(text) {
  const known = statements.get(text) ?? prepared(text);
  statements.delete(text);
  statements.set(text, known);
  if (statements.size > MAX_STATEMENTS) statements.delete(statements.keys().next().value);
  return known;
}

/** Rows are lists, which are smaller than objects. */
function prepared(text) {
  const made = db.prepare(text);
  return made.reader ? made.raw() : made;
}

const control = (text) => statement(text).run();

function run(text, ...params) {
  const changed = statement(text).run(params).changes;
  changes += changed;
  return changed;
}

/** Each performs one kind of request. */
const kinds = {
  /** @returns the rows */
  select: (text, params) => statement(text).all(params),

  /** @param page as in `page-query.ts` @returns the rows */
  page({ probe, limit, few, many, params, last }) {
    const isFew = probe !== undefined && statement(probe).get(params)[0] < limit;
    return statement(isFew ? few : many).all([...params, ...last]);
  },

  /** Runs each statement once for each of its lists of parameters. @returns how many rows each has changed */
  write(statements) {
    const runs = statements.flatMap(({ text, lists }) => lists.map((params) => [text, params]));
    return together(runs, ([text, params]) => run(text, ...params));
  },

  /**
   * Writes each row whose stored version is one less than its own, or whose stored document is the one in `before`. Only
   * the columns that change are written: each of the others would cost as much as the rest, because of its index.
   * @returns for each row whether it was written
   */
  replace(table, columns, rows, before) {
    const expected = before === undefined ? 'version' : 'doc';
    const stored = statement(`SELECT ${['rowid', expected, ...columns].join(', ')} FROM ${table} WHERE id = ?`);
    return together(rows, ([id, version, doc, ...values], index) => {
      const [rowid, found, ...olds] = stored.get([id]) ?? [];
      if (rowid === undefined || found !== (before?.[index] ?? version - 1)) return false;
      const changed = columns.filter((_, at) => values[at] !== olds[at]);
      const set = ['version', 'doc', ...changed].map((name) => `${name} = ?`).join(', ');
      const news = values.filter((value, at) => value !== olds[at]);
      return run(`UPDATE ${table} SET ${set} WHERE rowid = ?`, version, doc, ...news, rowid) === 1;
    });
  },

  /**
   * While the file is held, commits go to the log only, so that another process can copy the file (`copy-server.ts`).
   * @returns whether nothing was written into it since the last call
   */
  hold(wanted) {
    const result = [isUntouched];
    isHeld = wanted;
    db.exec(`PRAGMA wal_autocheckpoint = ${isHeld ? 0 : CHECKPOINT_PAGES}`);
    isUntouched = true;
    return result;
  },

  /** While the file is held, it is copied with the log. */
  settle() {
    isSettling = !isHeld;
    return [];
  },

  /** Runs statements without parameters, all or none. */
  script: (texts) => together(texts, (text) => db.exec(text)),
};

/** All or none; one statement is so by itself. */
function together(items, perform) {
  if (items.length < 2) return items.map(perform);
  control('SAVEPOINT request');
  try {
    const results = items.map(perform);
    control('RELEASE request');
    return results;
  } catch (error) {
    if (db.inTransaction) {
      control('ROLLBACK TO request');
      control('RELEASE request');
    }
    throw error;
  }
}

const isRead = ([kind]) => kind === 'select' || kind === 'page';

/** @returns for each request its result, or its error. @throws the error that ended the transaction */
function transaction(requests) {
  if (requests.every(isRead)) return requests.map(perform);
  sync(requests.some((request) => !isRead(request) && !request[1]));
  control('BEGIN IMMEDIATE');
  const answers = requests.map(perform);
  control('COMMIT');
  if (isSettling) checkpoint('FULL');
  isSettling = false;
  return answers;
}

function perform([kind, , ...args]) {
  try {
    return kinds[kind](...args);
  } catch (error) {
    if (ENDING.test(error.code)) throw error;
    return failed(error);
  }
}

const failed = ({ code, message }) => ({ code, message });

/** A commit without a sync is on the disk after the next one with it. */
function sync(wanted) {
  if (wanted === isSynced) return;
  db.exec(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
  isSynced = wanted;
}

function answersTo(requests) {
  try {
    return transaction(requests);
  } catch (error) {
    undo(error);
    checkpoint('RESTART');
    return requests.flatMap(alone);
  }
}

function alone(request) {
  try {
    return transaction([request]);
  } catch (error) {
    undo(error);
    return [failed(error)];
  }
}

/** @throws any error other than that of a full disk */
function undo(error) {
  if (error.code !== 'SQLITE_FULL') throw error;
  if (db.inTransaction) control('ROLLBACK');
}

/** The log can be used from its beginning when all of it is in the database file. */
function checkpoint(mode) {
  isUntouched = false;
  try {
    db.exec(`PRAGMA wal_checkpoint(${mode})`);
  } catch {}
}

/** Lost in a crash, the statistics are those of before. */
function analyze() {
  if (changes < analysisAfter) return;
  changes = 0;
  analysisAfter = Math.min(2 * analysisAfter, LAST_ANALYSIS);
  sync(false);
  try {
    db.exec('ANALYZE');
    parentPort.postMessage('analyzed');
  } catch (error) {
    if (ENDING.test(error.code)) undo(error);
  }
}

function open() {
  const url = pathToFileURL(file);
  url.search = PARAMETERS;
  db = new Database(url.href, { timeout: BUSY_MS });
  if (readsOnly) db.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${READER_CACHE_KIB}`);
  else prepare();
}

function prepare() {
  // The settings are the first change: without it, a database that was complete once has lost its log, and is not new.
  const [[version]] = db.prepare('PRAGMA user_version').raw().all();
  if (isKnown && version === 0)
    throw Object.assign(new Error('it is empty: its log is lost'), { code: 'SQLITE_CORRUPT' });
  db.exec(SETTINGS);
  db.prepare('SELECT count(*) FROM sqlite_schema').raw().all();
  allocate(`${file}-wal`);
}

/** Zeros after its last transaction do not change the meaning of a log. */
function allocate(log) {
  const { size } = statSync(log);
  if (size >= LOG_BYTES) return;
  const descriptor = openSync(log, 'r+');
  try {
    writeSync(descriptor, Buffer.alloc(LOG_BYTES - size), 0, LOG_BYTES - size, size);
  } finally {
    closeSync(descriptor);
  }
}

function close() {
  if (!readsOnly) checkpoint('TRUNCATE');
  db.close();
  parentPort.close();
}

/** Ends the thread with a message: an error event would lose the code. */
function ending(work) {
  try {
    work();
  } catch (error) {
    parentPort.postMessage({ ended: failed(error) });
    process.exit(1);
  }
}

ending(open);
parentPort.postMessage([]);
parentPort.on('message', (first) => {
  const messages = [first];
  for (let next = receiveMessageOnPort(parentPort); next !== undefined; next = receiveMessageOnPort(parentPort)) {
    messages.push(next.message);
  }
  const requests = messages.filter((message) => message !== 'close').flat();
  ending(() => {
    if (requests.length > 0) parentPort.postMessage(answersTo(requests));
    analyze();
    if (messages.includes('close')) close();
  });
});
