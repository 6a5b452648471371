/** Prints the Postman collection to schema/assay.postman_collection.json; a test holds that it is the description's. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeInterface } from '../src/facade/rest/openapi/openapi.ts';
import { describeCollection } from './postman-collection.ts';

const path = join(import.meta.dirname, 'assay.postman_collection.json');
writeFileSync(path, `${JSON.stringify(describeCollection(describeInterface()), null, 2)}\n`);
