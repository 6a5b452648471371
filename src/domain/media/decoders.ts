/** The decoders that may read a format, of the library's five hundred: each is a way in for a hostile file. */

const PCM =
  'pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_u8,pcm_s8,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw';
const MPEG_SOUND = 'mp1,mp2,mp3float';
const DOLBY = 'ac3,eac3,truehd,mlp,dca';
/** What cameras, phones and the web write today. */
const CURRENT_PICTURES = 'h264,hevc,vvc,libdav1d,vp8,vp9';
const MPEG_PICTURES = 'mpeg1video,mpeg2video,mpeg4';
const MICROSOFT_PICTURES = 'msmpeg4v1,msmpeg4v2,msmpeg4,wmv1,wmv2,wmv3,vc1';
/** Formats from the camera to the archive, in QuickTime and MXF. */
const STUDIO_PICTURES = 'prores,dnxhd,cfhd,dvvideo,jpeg2000,mjpeg,rawvideo,v210';

function all(...groups: string[]): string {
  return groups.join(',');
}

export const DECODERS = {
  iso: all(
    ...[CURRENT_PICTURES, MPEG_PICTURES, STUDIO_PICTURES, 'h263,svq1,svq3,cinepak,rpza,qtrle,png'],
    ...['aac,alac,opus,vorbis,flac,amrnb,amrwb,qdm2,adpcm_ima_qt,adpcm_ms', MPEG_SOUND, DOLBY, PCM],
  ),
  heif: 'hevc,libdav1d',
  h264: 'h264',
  hevc: 'hevc',
  apng: 'apng',
  jxl: 'libjxl,libjxl_anim',
  /** A tag of this kind may also precede FLAC and AAC. */
  mpegSound: all(MPEG_SOUND, 'flac,aac'),
  wav: all(PCM, MPEG_SOUND, 'adpcm_ms,adpcm_ima_wav,gsm_ms,ac3,dca'),
  ogg: 'vorbis,opus,flac,speex,theora,vp8',
  flac: 'flac',
  aac: 'aac',
  matroska: all(
    ...[CURRENT_PICTURES, MPEG_PICTURES, MICROSOFT_PICTURES, 'mjpeg,theora,prores'],
    ...['aac,alac,opus,vorbis,flac', MPEG_SOUND, DOLBY, PCM],
  ),
  avi: all(
    ...[CURRENT_PICTURES, MPEG_PICTURES, MICROSOFT_PICTURES, 'mjpeg,dvvideo,h263,rawvideo'],
    ...[
      'cinepak,msvideo1,msrle,indeo3,indeo4,indeo5',
      'aac,wmav1,wmav2,adpcm_ms,adpcm_ima_wav',
      MPEG_SOUND,
      DOLBY,
      PCM,
    ],
  ),
  transport: all(
    ...[CURRENT_PICTURES, MPEG_PICTURES, 'vc1'],
    ...['aac,aac_latm,opus,s302m,pcm_bluray', MPEG_SOUND, DOLBY],
  ),
  program: all(MPEG_PICTURES, 'h264,hevc,aac,pcm_dvd', MPEG_SOUND, DOLBY),
  flv: all(CURRENT_PICTURES, 'flv,vp6f,vp6a,aac,opus,flac,ac3,nellymoser,speex,adpcm_swf', MPEG_SOUND, PCM),
  asf: all(
    MICROSOFT_PICTURES,
    'mpeg4,h264,mjpeg,wmav1,wmav2,wmapro,wmalossless,wmavoice,aac,ac3',
    MPEG_SOUND,
    PCM,
  ),
  mxf: all('h264,hevc', MPEG_PICTURES, STUDIO_PICTURES, 'aac,s302m', MPEG_SOUND, PCM),
  aiff: all(PCM, 'adpcm_ima_qt'),
  caf: all(PCM, 'aac,alac,opus,flac,mp3float,ac3,amrnb,adpcm_ima_qt'),
  amr: 'amrnb,amrwb',
  ac3: 'ac3,eac3',
} as const satisfies Record<string, string>;
