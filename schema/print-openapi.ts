/** Prints the OpenAPI description to schema/openapi.json; a test holds that the two are equal. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeInterface } from '../src/facade/rest/openapi/openapi.ts';

const path = join(import.meta.dirname, 'openapi.json');
writeFileSync(path, `${JSON.stringify(describeInterface(), null, 2)}\n`);
