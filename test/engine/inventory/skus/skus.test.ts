import test from 'ava';
import { skuConformance } from '../../../conformance/skus.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

// Serial: the tests share the collections.
skuConformance(test.serial, embeddedStore(test));
