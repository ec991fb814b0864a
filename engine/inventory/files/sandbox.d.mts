/** See `sandbox.mjs`. */
export class Sandbox {
  static open(): Promise<Sandbox>;
  get spent(): boolean;
  render(template: string, variables: string, timeMs: number, length: number): string;
}
