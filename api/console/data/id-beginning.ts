/** The beginnings of ids, as they are shown, said and typed. */

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether it may be a part of an id, from its first letter on. */
export const isBeginning = (text: string): boolean => /^[\da-f-]{2,35}$/i.test(text) && !UUID.test(text);
