/** Turns GraphQL input into the fields that the app knows, under their documented names. */

/** The options a submission may name; absent and null are the same. */
export interface OptionsInput {
  withMorphing?: boolean | null | undefined;
  withTampering?: boolean | null | undefined;
  withHeatmap?: boolean | null | undefined;
  withNsfw?: boolean | null | undefined;
  withAudio?: boolean | null | undefined;
  preventC2paForces?: boolean | null | undefined;
  frames?: number | null | undefined;
  keyFrames?: boolean | null | undefined;
  keyFramesMethod?: string | null | undefined;
  ensureFacePerFrame?: boolean | null | undefined;
}

export interface SubmitFieldsInput {
  fileUrl?: string | null | undefined;
  refId?: string | null | undefined;
  options?: OptionsInput | null | undefined;
  webhookUrl?: string | null | undefined;
  noCache?: boolean | null | undefined;
  priority?: string | null | undefined;
  requestId?: string | null | undefined;
}

export function toOptionFields(options: OptionsInput | null | undefined): Record<string, unknown> {
  if (options === null || options === undefined) return {};
  return withoutNulls({
    with_morphing: options.withMorphing,
    with_tampering: options.withTampering,
    with_heatmap: options.withHeatmap,
    with_nsfw: options.withNsfw,
    with_audio: options.withAudio,
    prevent_c2pa_forces: options.preventC2paForces,
    frames: options.frames,
    key_frames: options.keyFrames,
    key_frames_method: options.keyFramesMethod,
    ensure_face_per_frame: options.ensureFacePerFrame,
  });
}

export function toSubmitFields(input: SubmitFieldsInput): Record<string, unknown> {
  return {
    ...withoutNulls({
      file_url: input.fileUrl,
      ref_id: input.refId,
      webhook_url: input.webhookUrl,
      no_cache: input.noCache,
      priority: input.priority,
      request_id: input.requestId,
    }),
    ...toOptionFields(input.options),
  };
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
