/**
 * AVA of the project's tests, which `build.mjs` gives them: several files of tests can run in one process, one after the other
 * (`groups.mjs`). Loading the sources and packages takes a process longer than most files take. A file that runs alone uses
 * AVA itself.
 *
 * The tests of a file run as AVA runs them: the serial ones first, then all others at a time, between the hooks of the file.
 * The title of each begins with the path of its file.
 */
import ava, { type ExecutionContext } from 'ava';

type Body = (t: ExecutionContext, ...args: unknown[]) => unknown;
/** All that hooks use. */
type Hook = (t: { context: unknown }) => unknown;

interface Declared {
  title: string;
  body: Body;
  args: unknown[];
}

/** Before the path of the file in a title, which AVA writes after that of the group; `run.mjs` reads it. */
const MARK = '» ';

class TestFile {
  readonly #path: string;
  readonly #serial: Declared[] = [];
  readonly #others: Declared[] = [];
  readonly #skipped: string[] = [];
  readonly #hooks: Record<'before' | 'beforeEach' | 'afterEach' | 'after', Hook[]> = {
    before: [],
    beforeEach: [],
    afterEach: [],
    after: [],
  };
  /** The file calls it instead of AVA. */
  readonly test;

  /** @param path such as `api/login` */
  constructor(path: string) {
    this.#path = path;
    const declaring = (list: Declared[]) =>
      Object.assign((title: string, body: Body, ...args: unknown[]) => void list.push({ title, body, args }), {
        skip: (title: string) => void this.#skipped.push(title),
      });
    const hooked = (list: Hook[]) => (hook: Hook) => void list.push(hook);
    const { before, beforeEach, afterEach, after } = this.#hooks;
    this.test = Object.assign(declaring(this.#others), {
      serial: declaring(this.#serial),
      before: hooked(before),
      beforeEach: hooked(beforeEach),
      afterEach: { always: hooked(afterEach) },
      after: { always: hooked(after) },
      meta: { ...ava.meta, file: new URL(`${path}.test.js`, 'file:///').href },
    });
  }

  /**
   * Declares its tests, which wait for those of the file before. AVA begins with the first one that it is given: all files are
   * loaded by then.
   * @returns the end of its own
   */
  declare(before: Promise<unknown>): Promise<unknown> {
    for (const title of this.#skipped) ava.skip(this.#titleOf(title), () => undefined);
    const shared = { context: {} };
    const opened = before.then(() => runAll(this.#hooks.before, shared)).then(() => shared.context);
    // Each of its tests reports a hook that fails.
    let start: Promise<unknown> = opened.catch(() => undefined);
    const declared = (test: Declared) => this.#declareOne(test, start, opened);
    for (const test of this.#serial) start = declared(test);
    return Promise.all([start, ...this.#others.map(declared)]).then(() => runAll(this.#hooks.after, shared));
  }

  /** @returns the end of the test, its teardowns included */
  #declareOne({ title, body, args }: Declared, start: Promise<unknown>, opened: Promise<object>): Promise<void> {
    return new Promise((resolve) => {
      ava(this.#titleOf(title), async (t) => {
        // The last teardown, because it is the first that AVA is given.
        t.teardown(() => runAll(this.#hooks.afterEach, t).finally(resolve));
        await start;
        t.context = { ...(await opened) };
        await runAll(this.#hooks.beforeEach, t);
        await body(t, ...args);
      });
    });
  }

  #titleOf(title: string): string {
    return `${MARK}${this.#path.replaceAll('/', ' › ')} › ${title}`;
  }
}

async function runAll(hooks: readonly Hook[], t: { context: unknown }): Promise<void> {
  for (const hook of hooks) await hook(t);
}

/** The one that is being loaded; undefined: a file runs alone, or its tests have begun. */
let current: TestFile | undefined;

/** @param files imports each, by its path */
export async function together(files: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const loaded: TestFile[] = [];
  for (const [path, load] of Object.entries(files)) {
    current = new TestFile(path);
    loaded.push(current);
    await load();
  }
  current = undefined;
  const ends: Promise<unknown>[] = [];
  let before: Promise<unknown> = Promise.resolve();
  for (const file of loaded) {
    const end = file.declare(before);
    ends.push(end);
    before = end.catch(() => undefined);
  }
  ava.after.always('every file has closed', () => Promise.all(ends));
}

/** The title of a file that starts too late ends with it; `run.mjs` counts these. */
const LEFT = 'left to a later run';

/**
 * In a run that has to end: files whose turn comes too late are left to later runs.
 *
 * @param files as `together` gets them @param earlier seconds before the end of the starts, from which on they do not start
 */
export async function inRotation(files: Parameters<typeof together>[0], earlier: number): Promise<void> {
  const until = Number(process.env.NODEWRIGHT_TEST_STARTS_UNTIL) - earlier * 1_000;
  const [[, load], ...others] = Object.entries(files) as [[string, () => Promise<unknown>]];
  if (Date.now() >= until) {
    for (const path of Object.keys(files)) ava.skip(`${MARK}${path.replaceAll('/', ' › ')} › ${LEFT}`, () => undefined);
  } else if (others.length > 0) {
    await together(files);
  } else {
    await load();
  }
}

const test = new Proxy(ava, {
  apply: (_, __, args) => Reflect.apply(current?.test ?? ava, undefined, args),
  get: (_, key) => Reflect.get(current?.test ?? ava, key),
});

export default test;
