/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 holds it. */

export interface Schema {
  [key: string]: unknown;
}
