/** The languages of a report: those of the page, whose sentences it speaks. */
export const REPORT_LANGUAGES = ['en', 'it'] as const;
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];
