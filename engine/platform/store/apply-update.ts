/** Updates of documents in memory, in MongoDB's language, by mingo's operators: its updater copies them all for each update. */
import * as operators from 'mingo/operators/update';
import type { Update } from './port.ts';

type Operator = (fields: object) => (document: object) => unknown;

/** Changes the document; it shares no value with the update. */
export function applyUpdate(document: object, update: Update): void {
  for (const [name, fields] of Object.entries(structuredClone(update))) {
    const operator = (operators as Record<string, unknown>)[name] as Operator | undefined;
    if (operator === undefined) throw new Error(`an update has the operator ${name}, expected one of MongoDB's`);
    operator(fields as object)(document);
  }
}
