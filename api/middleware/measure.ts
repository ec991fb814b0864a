/** Counts and times requests by route, for /metrics. Paths are no labels: their number is unbounded. */
import type { Context, Next } from 'koa';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One per process, shared by its endpoints. */
export class RequestMetrics {
  readonly #registry: Registry;
  readonly #total: Counter;
  readonly #seconds: Histogram;

  /** @param waiting returns the requests that wait for their turn @param registry only for the page that lists the metrics */
  constructor(waiting: () => number = () => 0, registry = new Registry()) {
    this.#registry = registry;
    const registers = [registry];
    this.#total = new Counter({
      name: 'nodewright_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'nodewright_http_request_seconds',
      help: 'Time to answer a request, in seconds.',
      labelNames: ['route'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    });
    new Gauge({
      name: 'nodewright_http_requests_waiting',
      help: 'Requests of nodes that wait until others are handled.',
      registers,
      collect() {
        this.set(waiting());
      },
    });
  }

  readonly middleware = async (ctx: Context, next: Next): Promise<void> => {
    const stop = this.#seconds.startTimer();
    await next();
    const route = (ctx.state.route as string | undefined) ?? 'none';
    // Unknown methods match no route; clients choose their names.
    const method = route === 'none' ? 'any' : ctx.method;
    stop({ route });
    this.#total.inc({ method, route, status: ctx.status });
  };

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
