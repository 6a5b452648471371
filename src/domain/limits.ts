/** Fixed bounds, each with the failure it prevents; those that an operator may tune are in the component's config. */

/** 15 MB as docs/interface.md documents it (15 × 1024²), for images and audio. */
export const IMAGE_BYTES_MAX = 15_728_640;
export const AUDIO_BYTES_MAX = 15_728_640;
/** 5 GB: the documented service's own maximum for video. */
export const VIDEO_BYTES_MAX = 5_368_709_120;

/** docs/interface.md: at most 100 identifiers in one list request. */
export const IDENTIFIERS_MAX = 100;
/** Records in one page: a page is built in memory, a stream is not. */
export const PAGE_SIZE_MAX = 100;
export const PAGE_SIZE_DEFAULT = 25;

/** 100 megapixels: a 0.75 MB PNG of 16,000² made a decoder take 768 MB. */
export const PIXELS_MAX = 100_000_000;
/** A single side above this overflows the tile arithmetic of common encoders. */
export const SIDE_PIXELS_MAX = 65_500;

/** Two hours of sound are 460 MB of samples in a slot's folder; a longer recording is sent in parts. */
export const SOUND_SECONDS_MAX = 7200;

/** A reference is a key in somebody else's system, not a document. */
export const REF_ID_CHARACTERS_MAX = 255;
/** The usual bound of file systems; a longer name is a mistake or an attack. */
export const NAME_CHARACTERS_MAX = 255;
/** Addresses longer than this are refused by most servers. */
export const ADDRESS_CHARACTERS_MAX = 2048;
/** A request identifier is a UUID or the like. */
export const REQUEST_ID_CHARACTERS_MAX = 128;
/** A reason for an override is a sentence or two. */
export const OVERRIDE_REASON_CHARACTERS_MAX = 1000;

/** How long an accepted request identifier keeps answering with the same record. */
export const REQUEST_ID_TTL_MS = 24 * 3600 * 1000;
