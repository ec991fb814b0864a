/** The answers that an OpenAPI document promises. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

/** The documented answer of an operation. */
export interface DocumentedAnswer {
  status: string;
  type: string;
  /** Absent: no body. */
  fits?: ValidateFunction;
}

/** 204 beside 200: no result. 200 beside 201: a repeat. */
const isBeside = (code: string, responses: object): boolean =>
  (code === '204' && '200' in responses) || (code === '200' && '201' in responses);

/** By operation: whether an answer of its success fits. */
export function documentedAnswers(document: Json): Map<string, DocumentedAnswer> {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });
  const pointer = (parts: readonly string[]) =>
    parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]): [string, DocumentedAnswer] => {
      const [status = ''] = Object.keys(responses).filter((code) => code.startsWith('2') && !isBeside(code, responses));
      const [type] = Object.keys(responses[status]?.content ?? {});
      if (type === undefined) return [operationId, { status, type: '' }];
      const at = pointer(['paths', path, method, 'responses', status, 'content', type, 'schema']);
      return [operationId, { status, type, fits: ajv.compile({ $ref: `openapi#/${at}` }) }];
    }),
  );
  return new Map(all);
}
