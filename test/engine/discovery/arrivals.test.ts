import test from 'ava';
import { arrivalConformance } from '../../conformance/arrivals.ts';
import { embeddedStore } from '../../support/stores.ts';

// One after the other: they share the collections.
arrivalConformance(test.serial, embeddedStore(test));
