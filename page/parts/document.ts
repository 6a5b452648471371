/** The text of one operation, with the types of its answer and of what it takes (`page/gen/documents.ts`). */
export type Document<Answer, Variables> = string & { readonly answer?: Answer; readonly takes?: Variables };
