/** A store whose process dies at one of its calls: that call and all later ones fail, and nothing is written any more. */
import type { Collection, Document, Store } from '../../../engine/platform/store/port.ts';

/** `before`: the call has no effect. `after`: it has, and its caller never learns of it. */
export type Moment = 'before' | 'after';

const READS = ['get', 'find', 'pick', 'lastOf', 'count'] as const;
const WRITES = ['insert', 'insertMissing', 'replace', 'update', 'updateEach', 'remove'] as const;
const METHODS = [...READS, ...WRITES];

export class Life {
  #left = Number.POSITIVE_INFINITY;
  #moment: Moment = 'before';
  #die: () => Promise<never>;

  /** @param die ends the process; absent: it only seems dead, because its calls fail */
  constructor(die: () => Promise<never> = () => Promise.reject(new Error('the process is dead'))) {
    this.#die = die;
  }

  /** @param calls that are made before the one at which the process dies */
  dieAfter(calls: number, moment: Moment): void {
    this.#left = calls;
    this.#moment = moment;
  }

  get isDead(): boolean {
    return this.#left < 0;
  }

  /** A call of the process to the outside. */
  async call<R>(run: () => Promise<R>): Promise<R> {
    if (this.isDead) return this.#die();
    this.#left -= 1;
    if (!this.isDead) return run();
    if (this.#moment === 'after') await run();
    return this.#die();
  }

  store(store: Store): Store {
    const life = this;
    return {
      async collection<T extends Document>(spec: Parameters<Store['collection']>[0]) {
        const collection = await store.collection<T>(spec);
        const calls = METHODS.map((method) => {
          const run = (collection[method] as (...given: unknown[]) => Promise<unknown>).bind(collection);
          return [method, (...args: unknown[]) => life.call(() => run(...args))] as const;
        });
        return Object.fromEntries(calls) as unknown as Collection<T>;
      },
      ping: () => store.ping(),
      close: () => store.close(),
    };
  }
}
