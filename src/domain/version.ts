/** The product's version, and that of the documented interface that records carry (docs/interface.md, Versioning). */
export const VERSION = '1.0.0';
export const API_VERSION = '1.1.0';
