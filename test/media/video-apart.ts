/** `node test/media/video-apart.ts RECIPE`: writes the video of a recipe (JSON) to the standard output. */
import { makeVideoHere } from './make-media.ts';

process.stdout.write(makeVideoHere(JSON.parse(process.argv[2] ?? '{}')));
