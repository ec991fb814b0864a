import test from 'ava';
import { skuConformance } from '../../../conformance/skus.ts';
import { needing } from '../../../support/ava/needs.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';

skuConformance(needing(noMongoDb, 'mongodb').serial, mongoStore(test));
