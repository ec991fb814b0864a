/** The audit log on MongoDB. */
import anyTest from 'ava';
import { auditConformance } from '../../../conformance/audit.ts';
import { needing } from '../../../support/ava/needs.ts';
import { mongoStore } from '../../../support/engine/stores.ts';
import { noMongoDb } from '../../../support/servers/mongodb.ts';

const test = needing(noMongoDb);

auditConformance(test.serial, mongoStore(anyTest));
