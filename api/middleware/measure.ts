/** Counts and times requests by route, for /metrics. Paths never become labels: there are too many of them. */
import type { Context, Next } from 'koa';
import { Counter, Histogram, Registry } from 'prom-client';

/** One for the process: endpoints share it. */
export class RequestMetrics {
  readonly #registry = new Registry();
  readonly #labels = ['method', 'route', 'status'];
  readonly #total = new Counter({
    name: 'nodewright_http_requests_total',
    help: 'Requests answered',
    labelNames: this.#labels,
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'nodewright_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.#registry],
  });

  readonly middleware = async (ctx: Context, next: Next): Promise<void> => {
    const stop = this.#seconds.startTimer();
    await next();
    const route = (ctx.state.route as string | undefined) ?? 'none';
    // Unknown methods never reach a route; their names are the client's choice.
    const method = route === 'none' ? 'any' : ctx.method;
    stop({ route });
    this.#total.inc({ method, route, status: ctx.status });
  };

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
