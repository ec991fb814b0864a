/** Messages of DMTF's registries that a BMC sends: `Base` for errors, `Update` for the ends of updates (DSP8011). */
import type { JsonObject } from '../../../vocabulary/json.ts';

const BASE = 'Base.1.19';

/** Each with its text, and what its reader may do. */
const texts = {
  GeneralError: ['A general error has occurred.', 'None.'],
  AccessDenied: ['There is no valid session or account for this request.', 'Log in with the right credentials.'],
  InsufficientPrivilege: [
    'The account or credentials of the current session have insufficient privileges.',
    'Use an account with the needed privileges.',
  ],
  ResourceMissingAtURI: ['The resource at the URI %1 was not found.', 'Place a valid resource at the URI.'],
  ResourceAtUriInUnknownFormat: [
    'The resource at %1 is in a format not recognized by the service.',
    'Place an image that the service recognizes at the URI.',
  ],
  ResourceAtUriUnauthorized: [
    'While accessing the resource at %1, the service received an authorization error %2.',
    'Ensure that the service can access the URI.',
  ],
  CouldNotEstablishConnection: [
    'The service failed to establish a connection with the URI %1.',
    'Ensure that the URI has a valid and reachable host name, protocol and port.',
  ],
  ResourceNotFound: [
    'The requested resource of type %1 named %2 was not found.',
    'Provide a valid resource identifier.',
  ],
  OperationNotAllowed: ['The HTTP method is not allowed on this resource.', 'See the header Allow.'],
  PreconditionFailed: ['The ETag supplied did not match the ETag of the resource.', 'Read the resource again.'],
  HeaderInvalid: ["Header '%1' is invalid.", 'Provide a valid header.'],
  MalformedJSON: ['The request body submitted was malformed JSON.', 'Send valid JSON.'],
  MissingOrMalformedPart: [
    'The multipart request contains malformed parts or is missing required parts.',
    'Correct it.',
  ],
  PayloadTooLarge: ['The supplied payload exceeds the maximum size supported by the service.', 'Send less.'],
  PropertyUnknown: ['The property %1 is not in the list of valid properties for the resource.', 'Remove it.'],
  PropertyMissing: ['The property %1 is a required property and must be included in the request.', 'Include it.'],
  PropertyNotWritable: ['The property %1 is a read-only property and cannot be assigned a value.', 'Remove it.'],
  PropertyValueTypeError: [
    'The value %1 for the property %2 is not a type that the property can accept.',
    'Correct it.',
  ],
  PropertyValueNotInList: ['The value %1 for the property %2 is not in the list of acceptable values.', 'Choose one.'],
  PropertyValueOutOfRange: ['The value %1 for the property %2 is not in the supported range.', 'Correct the value.'],
  ActionParameterUnknown: ['The action was submitted with the invalid parameter %1.', 'Remove the parameter.'],
  ActionParameterMissing: ['The action requires the parameter %1 to be present in the request body.', 'Include it.'],
  ActionParameterValueNotInList: [
    'The value %1 for the parameter %2 is not in the list of acceptable values.',
    'Choose one.',
  ],
  QueryNotSupported: ['Querying is not supported by the implementation.', 'Remove the query parameters.'],
  QueryParameterOutOfRange: [
    'The value %1 for the query parameter %2 is out of range.',
    'Correct the query parameter.',
  ],
  ResourceAlreadyExists: [
    'The resource of type %1 with the property %2 with the value %3 already exists.',
    'Choose another.',
  ],
  ResourceInUse: [
    'The change to the resource failed because the resource is in use or in transition.',
    'Try again later.',
  ],
  CreateLimitReachedForResource: [
    'The create operation failed because the resource has reached its limit.',
    'Delete one.',
  ],
  SessionLimitExceeded: ['The session establishment failed due to the number of simultaneous sessions.', 'End one.'],
  ServiceTemporarilyUnavailable: [
    'The service is temporarily unavailable. Retry in %1 seconds.',
    'Wait, and try again.',
  ],
  ActionNotSupported: ['The action %1 is not supported by the resource.', 'Use another action.'],
} as const;

export type BaseMessage = keyof typeof texts;

export const GENERAL_ERROR = `${BASE}.GeneralError`;

interface MessageFacts {
  id: string;
  text: string;
  severity: 'OK' | 'Warning' | 'Critical';
  resolution: string;
}

/** @param words fill the places of the text */
export function messageInfo({ id, text, severity, resolution }: MessageFacts, words: readonly string[]): JsonObject {
  return {
    MessageId: id,
    Message: text.replace(/%(\d)/g, (_, place) => `'${words[Number(place) - 1] ?? ''}'`),
    MessageArgs: [...words],
    Severity: severity,
    MessageSeverity: severity,
    Resolution: resolution,
  };
}

/** @param resolution instead of the usual one */
export function baseMessage(
  id: BaseMessage,
  words: readonly string[],
  severity: MessageFacts['severity'],
  resolution?: string,
) {
  const [text, advice] = texts[id];
  return messageInfo({ id: `${BASE}.${id}`, text, severity, resolution: resolution ?? advice }, words);
}
