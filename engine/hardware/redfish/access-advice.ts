/** The remedies if a service rejects its user, or its certificate is not accepted, in the terms of the person who gave them. */

export interface AccessAdvice {
  account: string;
  rights: string;
  trust: string;
}

export const obmAdvice: AccessAdvice = {
  account: "correct the obm's config",
  rights: "give the obm's user the right to do this",
  trust: "give the obm's config the ca that signed it, or verifySSL false",
};

/** For the options of a task. */
export const optionAdvice: AccessAdvice = {
  account: 'correct the credential in the options',
  rights: 'give its user the right to do this',
  trust: 'give the option ca with the authority that signed it, or verifySSL false',
};
