import test from 'ava';
import { registrationConformance } from '../../../conformance/registration.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

// Serial: the tests share the collections.
registrationConformance(test.serial, embeddedStore(test));
