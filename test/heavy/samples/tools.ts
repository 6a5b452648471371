/** What other people's programs say of a file: ffprobe, sharp and exiftool, each in the same few figures. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import sharp from 'sharp';

/** As shown, so turned; absent where a program does not say it. `tracks` are those of sound. */
export type Figures = Partial<Record<'width' | 'height' | 'seconds' | 'pages' | 'tracks', number>>;

export interface Said {
  path: string;
  /** By exiftool, as `image/bmp`; empty where it knows none. */
  mime: string;
  /** By ffprobe, as `bmp_pipe`. */
  demuxer: string;
  /** sharp draws it whole. */
  isDrawn: boolean;
  /** Some program decodes a picture or sound of it, not its head alone. */
  isDecoded: boolean;
  /** Figures of each program that calls it media; `packets` are counted by ffprobe, which else repeats the header. */
  by: Partial<Record<'ffprobe' | 'packets' | 'sharp' | 'exiftool', Figures>>;
}

interface Probed {
  demuxer: string;
  isSure: boolean;
  figures: Figures;
  frames: number;
}

const run = promisify(execFile);
const BOUNDS = { maxBuffer: 64 * 2 ** 20, timeout: 60_000 };
/** Below it ffprobe goes by a single frame, or by the ending of the name. */
const PROBE_SCORE_MIN = 51;
/** Enough to know whether anything is decoded. */
const PROBE = ['-show_format', '-show_streams', '-count_frames', '-read_intervals', '%+#8'];
/** The tags that count pages: PNG's, GIF's and TIFF's. */
const PAGE_TAGS = ['AnimationFrames', 'FrameCount', 'PageCount'];
const TAGS = ['MIMEType', 'ImageWidth', 'ImageHeight', 'Orientation', 'Rotation', 'Duration', ...PAGE_TAGS];

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, of which each figure is checked where it is taken.
type Json = any;

/** exiftool's tags of all files by path, in one process: it takes half a second to start. */
export async function readTags(paths: readonly string[]): Promise<Map<string, Json>> {
  const program = run('exiftool', ['-json', '-n', ...TAGS.map((name) => `-${name}`), '-@', '-'], BOUNDS);
  program.child.stdin?.end(paths.join('\n'));
  // Its status is 1 where one file of them is none that it knows.
  const { stdout } = await program.catch((error: Json) => error);
  return new Map(JSON.parse(stdout).map((tags: Json) => [tags.SourceFile, tags]));
}

export async function askTools(path: string, tags: Json, hasFfprobe: boolean): Promise<Said> {
  const probed = hasFfprobe ? await probe(path) : undefined;
  const picture = await sharp(path)
    .metadata()
    .catch(() => undefined);
  const isDrawn = await sharp(path)
    .stats()
    .then(Boolean, () => false);
  const mime: string = tags?.MIMEType ?? '';
  const by: Said['by'] = {};
  if (probed?.isSure) by.ffprobe = probed.figures;
  if (by.ffprobe?.seconds !== undefined) by.packets = { seconds: await timePackets(path) };
  if (picture !== undefined) by.sharp = { ...picture.autoOrient, pages: picture.pages ?? 1 };
  if (/^(image|video|audio)\//.test(mime)) by.exiftool = figuresOfTags(tags);
  const isDecoded = isDrawn || (probed?.frames ?? 0) > 0;
  return { path, mime, demuxer: probed?.demuxer ?? '', isDrawn, isDecoded, by };
}

async function probe(path: string): Promise<Probed | undefined> {
  const answer = await run('ffprobe', ['-v', 'quiet', '-of', 'json', ...PROBE, path], BOUNDS).catch(
    () => null,
  );
  const { format, streams = [] }: Json = JSON.parse(answer?.stdout ?? '{}');
  const media = streams.filter(
    ({ codec_type, disposition }: Json) =>
      /^(video|audio)$/.test(codec_type) && disposition?.attached_pic !== 1,
  );
  // It takes text for what a terminal shows.
  if (media.length === 0 || format.format_name === 'tty') return;
  const picture = media.find(({ width }: Json) => width > 0);
  const turn = picture?.side_data_list?.find((data: Json) => 'rotation' in data)?.rotation ?? 0;
  const seconds = Number(format.duration);
  const [across = 1, down = 1] = (picture?.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  const width = Math.round(picture?.width * (across / down || 1));
  const tracks = media.filter(({ codec_type }: Json) => codec_type === 'audio').length;
  return {
    demuxer: format.format_name,
    isSure: format.probe_score >= PROBE_SCORE_MIN,
    figures: { ...known(width, picture?.height, turn % 180 !== 0, { seconds }), tracks },
    frames: media.reduce((sum: number, { nb_read_frames }: Json) => sum + Number(nb_read_frames ?? 0), 0),
  };
}

async function timePackets(path: string): Promise<number> {
  const wanted = ['-show_entries', 'packet=codec_type,pts_time,duration_time', path];
  const answer = await run('ffprobe', ['-v', 'quiet', '-of', 'csv=p=0', ...wanted], BOUNDS).catch(() => null);
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const line of (answer?.stdout ?? '').split('\n')) {
    const [type = '', at, length] = line.split(',');
    // Subtitles may last longer; a laced packet has no time.
    if (!/^(video|audio)$/.test(type) || !Number.isFinite(Number(at))) continue;
    first = Math.min(first, Number(at));
    last = Math.max(last, Number(at) + (Number(length) || 0));
  }
  return Math.max(0, last - first);
}

function figuresOfTags(tags: Json): Figures {
  // Orientations from 5 on are quarter turns.
  const isTurned = tags.Orientation >= 5 || tags.Rotation % 180 === 90;
  const pages = PAGE_TAGS.map((name) => tags[name]).find(Number.isInteger);
  return known(tags.ImageWidth, tags.ImageHeight, isTurned, { seconds: tags.Duration, pages });
}

function known(width: unknown, height: unknown, isTurned: boolean, others: object): Figures {
  const all = { ...others, ...(isTurned ? { width: height, height: width } : { width, height }) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => Number(value) > 0));
}
