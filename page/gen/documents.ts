// Printed by schema/print-page.ts from page/**/*.graphql; `npm run generate` prints it anew.

import type { Document } from '../parts/document.ts';

export type AiPart = 'GENERATED' | 'MODIFIED';

export interface AnalysisOptionsInput { ensureFacePerFrame?: boolean | null | undefined; frames?: number | null | undefined; keyFrames?: boolean | null | undefined; keyFramesMethod?: KeyFrameMethod | null | undefined; preventC2paForces?: boolean | null | undefined; transcriptLanguage?: string | null | undefined; withAudio?: boolean | null | undefined; withHeatmap?: boolean | null | undefined; withMorphing?: boolean | null | undefined; withNsfw?: boolean | null | undefined; withTampering?: boolean | null | undefined; withTranscript?: boolean | null | undefined; }

export interface AnswerSignOffInput { agrees: boolean; findingAt: string; identifier: string; reason?: string | null | undefined; }

export type AssessmentState = 'ARTIFICIAL' | 'HUMAN' | 'INCONCLUSIVE' | 'NOT_APPLICABLE';

export type AssessmentStrength = 'MODERATE' | 'NONE' | 'SIGNED' | 'STRONG' | 'WEAK';

export type C2paPolicy = 'ANY' | 'GENERATIVE' | 'NEVER';

export interface ClassificationFilter { deskId?: string | null | undefined; hash?: string | null | undefined; outcome?: Outcome | null | undefined; refId?: string | null | undefined; search?: string | null | undefined; since?: string | null | undefined; status?: Status | null | undefined; text?: string | null | undefined; until?: string | null | undefined; verdict?: Label | null | undefined; waitsForMe?: boolean | null | undefined; }

export type DeclaredOrigin = 'CAPTURED' | 'COMPOSITE_WITH_GENERATED' | 'EDITED' | 'GENERATED' | 'UNKNOWN';

export type DeliveryState = 'DELIVERED' | 'FAILED' | 'GONE' | 'PENDING';

export type DeskRole = 'FINDS' | 'HEADS' | 'LOOKS' | 'SIGNS_OFF' | 'SUBMITS';

export type DoneAction = 'LEAVE' | 'MOVE' | 'SIDECAR';

export type FactKind = 'AUTHOR' | 'CAMERA' | 'CAPTION' | 'CAPTURED' | 'CHANGED' | 'CREATED' | 'EDITED' | 'LENS' | 'PLACE' | 'PLACE_NAME' | 'RIGHTS' | 'SATELLITE_TIME' | 'SOFTWARE';

export interface FindByPictureInput { file: null; }

export type FindingState = 'BAD' | 'GOOD' | 'NOTICE';

export type HeadlineWord = 'ARTIFICIAL' | 'FAILED' | 'FOUND_ARTIFICIAL' | 'FOUND_HUMAN' | 'HUMAN' | 'INCONCLUSIVE' | 'NOT_APPLICABLE' | 'SIGNED_CAPTURE' | 'SIGNED_EDIT' | 'SIGNED_GENERATION' | 'SIGNED_UNTRUSTED' | 'WAITING';

export type HeatmapLayer = 'ORIGIN' | 'TAMPERING' | 'TAMPERING_RELIABILITY';

export type Heuristic = 'BALANCED' | 'CAUTIOUS' | 'MAJORITY' | 'SENSITIVE';

export type IngredientRelationship = 'COMPONENT' | 'INPUT' | 'PARENT';

export type KeyFrameMethod = 'COLOR' | 'FLOW' | 'IFRAMES';

export type Label = 'ARTIFICIAL' | 'HUMAN';

export type LabelDuty = 'DISCLOSE' | 'DISCLOSE_LIGHTLY' | 'NONE';

export interface LabelQuestionInput { hasEditorialControl?: boolean | null | undefined; isArtistic?: boolean | null | undefined; kind: LabelledKind; part?: AiPart | null | undefined; resemblesReality?: boolean | null | undefined; }

export type LabelledKind = 'AUDIO' | 'IMAGE' | 'TEXT' | 'VIDEO';

export type LedgerReason = 'CHARGE' | 'GRANT' | 'REFUND';

export type LikenessDegree = 'SAME_PICTURE' | 'SHARED_PART';

export type LikenessRelation = 'COPY' | 'MIRRORED_COPY' | 'SAME_FILE';

export type ManifestSource = 'EMBEDDED' | 'REMOTE' | 'SIDECAR';

export type MarkKind = 'C2PA' | 'CLOSED_WATERMARK' | 'GENERATOR_NAME' | 'GENERATOR_PARAMETERS' | 'OPEN_WATERMARK' | 'SOURCE_TYPE';

export type MarkState = 'ABSENT' | 'BROKEN' | 'FOUND' | 'NOT_CHECKABLE';

export type MarkStrength = 'NONE' | 'STRONG' | 'WEAK';

export type MediaKind = 'AUDIO' | 'IMAGE' | 'VIDEO';

export type Medium = 'DOCUMENT' | 'DRAWING' | 'PHOTOGRAPH' | 'RENDER' | 'SCREENSHOT' | 'TEXT' | 'UNKNOWN';

export type NoticeChannel = 'EMAIL' | 'MATTERMOST' | 'SLACK' | 'TEAMS';

export interface NoticeRuleInput { channel: NoticeChannel; kinds?: readonly MediaKind[] | null | undefined; name?: string | null | undefined; ofEveryAccount?: boolean | null | undefined; outcomes?: readonly Outcome[] | null | undefined; target: string; }

export interface OptionPriceInput { credits: number; option: string; }

export type Origin = 'ANALYSED' | 'CACHED' | 'JOINED';

export type Outcome = 'ARTIFICIAL' | 'FAILED' | 'HUMAN' | 'INCONCLUSIVE' | 'NOT_APPLICABLE' | 'WAITING';

export type OuterManifestOutcome = 'EMBEDDED_SPEAKS' | 'FORMAT_NOT_READABLE' | 'HOST_NOT_ALLOWED' | 'NOT_FETCHED' | 'NO_MANIFEST' | 'READ' | 'UNREADABLE';

export interface OverrideClassificationInput { classification: Label; hash: string; kind: MediaKind; reason?: string | null | undefined; }

export interface PlanInput { audioBytesMax?: number | null | undefined; audioCredits?: number | null | undefined; c2paPolicy?: C2paPolicy | null | undefined; fourEyes?: boolean | null | undefined; fourEyesDays?: number | null | undefined; imageBytesMax?: number | null | undefined; imageCredits?: number | null | undefined; kinds?: readonly MediaKind[] | null | undefined; mediaDays?: number | null | undefined; models?: readonly string[] | null | undefined; name?: string | null | undefined; optionCredits?: readonly OptionPriceInput[] | null | undefined; options?: readonly string[] | null | undefined; rateLimitPerMinute?: number | null | undefined; recordDays?: number | null | undefined; seenBeforeAcrossUsers?: boolean | null | undefined; sku?: string | null | undefined; videoBytesMax?: number | null | undefined; videoCredits?: number | null | undefined; videoHeightMin?: number | null | undefined; zeroRetention?: boolean | null | undefined; zeroRetentionOnWorkers?: boolean | null | undefined; }

export type Priority = 'BATCH' | 'INTERACTIVE';

export type ReadingState = 'BROKEN' | 'DOUBTFUL' | 'INTACT' | 'TRUSTED';

export type ReasonSide = 'ARTIFICIAL' | 'DOUBT' | 'HUMAN' | 'NONE';

export type RecheckOutcome = 'CHANGED' | 'MEDIA_GONE' | 'UNCHANGED' | 'UNREADABLE';

export type RecheckState = 'CANCELLED' | 'DONE' | 'RUNNING';

export type RecheckedAnswer = 'ASSESSMENT' | 'INGREDIENTS' | 'IN_TIME' | 'SIGNED_BY' | 'STATE' | 'UNCHANGED' | 'VOUCHED_BY' | 'WHO';

export type RecordOperation = 'CHANGE' | 'DELETE' | 'EXPORT' | 'FIND' | 'LOOK' | 'SIGN_OFF';

export interface RemoveOverrideInput { hash: string; kind: MediaKind; }

export type RenditionKind = 'FILM' | 'PEAKS' | 'PICTURE' | 'PREVIEW' | 'SHEET' | 'SOUND' | 'STRIP' | 'THUMBNAIL' | 'TILES';

export type Role = 'ADMIN' | 'PARTNER' | 'USER';

export interface SaveFilterInput { deskId?: string | null | undefined; kind?: MediaKind | null | undefined; name: string; outcome?: Outcome | null | undefined; search?: string | null | undefined; since?: string | null | undefined; text?: string | null | undefined; until?: string | null | undefined; waitsForMe?: boolean | null | undefined; }

export type SignOffObstacleCode = 'KEY_MADE' | 'KEY_REPLACED' | 'KEY_SHOWN' | 'MAILBOX' | 'PASSWORD_LINK' | 'UNKNOWN';

export type SignOffState = 'AGREED' | 'DISAGREED' | 'OPEN' | 'SUPERSEDED' | 'WITHDRAWN';

export type SignerAnswer = 'ON_LIST' | 'ON_NO_LIST' | 'REVOKED' | 'SIGNATURE_FAILS' | 'UNCLEAR' | 'WRONG_USE';

export type SourceRank = 'PRIMARY' | 'SECONDARY';

export type Status = 'DONE' | 'ERRORED' | 'NEW';

export type StepKind = 'CAPTURED' | 'CONVERTED' | 'CREATED' | 'EDITED' | 'GENERATED' | 'OPENED' | 'OTHER' | 'PLACED' | 'PUBLISHED';

export interface SubmitMediaInput { deskId?: string | null | undefined; file?: null | null | undefined; fileUrl?: string | null | undefined; kind?: MediaKind | null | undefined; manifest?: null | null | undefined; noCache?: boolean | null | undefined; options?: AnalysisOptionsInput | null | undefined; priority?: Priority | null | undefined; refId?: string | null | undefined; requestId?: string | null | undefined; webhookUrl?: string | null | undefined; }

export type TimeAnswer = 'EXPIRED' | 'OUTSIDE' | 'STAMPED' | 'UNCLEAR' | 'VALID_NOW';

export type TrustListKind = 'PRODUCTS' | 'SIGNERS' | 'SIGNERS_AND_TIME' | 'TIME';

export type TrustListOrigin = 'ADDED' | 'SETTING' | 'SHIPPED';

export type UnchangedAnswer = 'CHANGED' | 'NOTHING_BOUND' | 'NOT_CHECKABLE' | 'UNCLEAR' | 'YES';

export interface UpdateAccountInput { address?: string | null | undefined; city?: string | null | undefined; contact?: string | null | undefined; country?: string | null | undefined; heuristic?: Heuristic | null | undefined; name?: string | null | undefined; phone?: string | null | undefined; vat?: string | null | undefined; zip?: string | null | undefined; }

export type UserErrorCode = 'ALREADY_EXISTS' | 'FAILED_PRECONDITION' | 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED';

export interface UserInput { address?: string | null | undefined; c2paPolicy?: C2paPolicy | null | undefined; city?: string | null | undefined; contact?: string | null | undefined; country?: string | null | undefined; email?: string | null | undefined; heuristic?: Heuristic | null | undefined; name?: string | null | undefined; partnerId?: string | null | undefined; phone?: string | null | undefined; pricingId?: string | null | undefined; readonly?: boolean | null | undefined; role?: Role | null | undefined; vat?: string | null | undefined; zip?: string | null | undefined; }

export type WatchState = 'AWAY' | 'NO_CREDITS' | 'OFF' | 'PAUSED' | 'REFUSED' | 'WAITING' | 'WATCHING';

export type WatchedFileState = 'DONE' | 'FAILED' | 'SKIPPED' | 'SUBMITTED';

export type WhoAnswer = 'FAILED' | 'NOBODY' | 'NOT_CHECKABLE' | 'VERIFIED';

export type WebhookDelivery = { id: string; identifier: string; url: string; state: DeliveryState; createdAt: string; nextAttemptAt: string | null; attempts: AllOfDeliveryAttempt[]; };

export type Desk = { createdAt: string; id: string; isManaged: boolean; name: string; ownRole: DeskRole | null; partnerId: string | null; members: AllOfDeskMember[]; };

export type PictureSearch = { searched: number; withoutParts: number; found: ({ identifier: string; name: string; createdAt: string; degree: LikenessDegree; isMirrored: boolean; distance: number | null; places: number | null; timeSeconds: number | null; outcome: Outcome; finding: Label | null; foundAt: string | null; })[]; };

export type Model = { id: string; version: string; name: string; task: string; provider: string | null; fault: string | null; licence: string; source: string; weight: number; figures: unknown; };

export type Plan = { id: string; name: string; sku: string; options: string[]; kinds: AllOfPlanKind[]; rateLimitPerMinute: number; mediaDays: number; recordDays: number; zeroRetention: boolean; seenBeforeAcrossUsers: boolean; fourEyes: boolean; fourEyesDays: number; c2paPolicy: C2paPolicy; };

export type UserRow = { id: string; name: string; email: string; role: Role; readonly: boolean; balance: number; hasPassword: boolean; pricing: { id: string; name: string; }; };

export type Fault = { code: UserErrorCode; reason: string; field: string | null; message: string; metadata: unknown; };

export type PageInfo = { hasNextPage: boolean; endCursor: string | null; };

export type ListedRecord = { identifier: string; kind: MediaKind; status: Status; outcome: Outcome; headline: { word: HeadlineWord; title: AllOfSentence; }; errors: string; name: string; refId: string; hash: string; createdAt: string; resultUrl: string; cancelled: boolean; deskId: string | null; accountId: string; accountName: string; forceClassification: Label | null; signOff: { state: SignOffState; } | null; progress: AllOfProgress | null; verdict: { heuristic: Heuristic; confidence: number; classification: Label; models: string[]; } | null; assessment: { state: AssessmentState; probability: number | null; reasons: { code: string; side: ReasonSide; said: AllOfSentence; }[]; } | null; provenance: { readings: { state: ReadingState; unchanged: UnchangedAnswer; signedBy: { answer: SignerAnswer; name: string; }; inTime: { answer: TimeAnswer; }; who: { answer: WhoAnswer; }; } | null; } | null; } | { identifier: string; kind: MediaKind; status: Status; outcome: Outcome; headline: { word: HeadlineWord; title: AllOfSentence; }; errors: string; name: string; refId: string; hash: string; createdAt: string; resultUrl: string; cancelled: boolean; deskId: string | null; accountId: string; accountName: string; forceClassification: Label | null; signOff: { state: SignOffState; } | null; progress: AllOfProgress | null; isNsfw: boolean | null; verdict: { heuristic: Heuristic; confidence: number; classification: Label; models: string[]; } | null; assessment: { state: AssessmentState; probability: number | null; reasons: { code: string; side: ReasonSide; said: AllOfSentence; }[]; } | null; provenance: { readings: { state: ReadingState; unchanged: UnchangedAnswer; signedBy: { answer: SignerAnswer; name: string; }; inTime: { answer: TimeAnswer; }; who: { answer: WhoAnswer; }; } | null; } | null; };

export type ModelResult = { model: string; version: string; axis: string; device: string; unknown: boolean; reason: string; elapsedTime: number; classification: AllOfScore[]; places: AllOfPlaceSpread | null; };

export type Clip = { index: number; start: number; end: number; verdict: Verdict; results: ModelResult[]; };

export type Verdict = { heuristic: Heuristic; confidence: number; classification: Label; models: string[]; };

export type Detection = { box: AllOfBox; verdict: Verdict; results: ModelResult[]; };

export type ProvenanceReadings = { state: ReadingState; unchanged: UnchangedAnswer; signedBy: { answer: SignerAnswer; assuranceLevel: number | null; fingerprint: string; issuer: string; name: string; organisation: string; product: string; validFrom: string | null; validUntil: string | null; lists: AllOfVoucher[]; }; inTime: AllOfInTime; who: AllOfWho; notes: AllOfReadingNote[]; };

export type Manifest = { label: string; title: string; generator: string; isActive: boolean; readings: ProvenanceReadings; steps: ({ action: string; at: string | null; by: string; description: string; kind: StepKind; sourceType: string; sourceTypeWords: AllOfSentence | null; })[]; ingredients: AllOfIngredient[]; trainingMining: AllOfTrainingMining[]; };

export type Provenance = { readings: ProvenanceReadings | null; sentence: AllOfSentence | null; source: ManifestSource | null; manifests: Manifest[]; leftOut: number; lists: AllOfAppliedTrustList[]; readAt: string | null; remoteManifestUrl: string | null; fault: string | null; outer: AllOfOuterManifest | null; isFormatUnreadable: boolean; };

export type Assessment = { state: AssessmentState; strength: AssessmentStrength | null; probability: number | null; log10LikelihoodRatio: number | null; declaredOrigin: DeclaredOrigin | null; remoteManifestUrl: string | null; reasons: { code: string; side: ReasonSide; said: AllOfSentence; }[]; stability: { flips: number; notNeeded: string[]; variants: { name: string; probability: number; }[]; } | null; quality: AllOfQuality | null; };

export type Tentative = { state: AssessmentState; probability: number | null; frames: AllOfTentativeFrame[]; clips: ({ start: number; probability: number | null; })[]; transcript: TranscriptSegment[]; };

export type Rendition = { kind: RenditionKind; isNeeded: boolean; };

export type Frame = { identifier: string; timeSeconds: number | null; hash: string; width: number | null; height: number | null; verdict: Verdict | null; results: ModelResult[]; assessment: { state: AssessmentState; probability: number | null; } | null; };

export type Track = { identifier: string; durationSeconds: number | null; speechSeconds: number | null; verdict: Verdict | null; results: ModelResult[]; assessment: { state: AssessmentState; probability: number | null; } | null; clips: Clip[]; transcript: Transcript | null; };

export type Transcript = { fault: string; language: string; leftOutSeconds: number; model: string; segmentCount: number; version: string; wordCount: number; segments: TranscriptSegment[]; };

export type TranscriptSegment = { startSeconds: number; endSeconds: number; text: string; confidence: number; language: string; channel: number | null; };

export type ExportedReading = { at: string; byAccountId: string; classification: string; fingerprint: string; packageSha256: string; probability: number | null; readsOtherwise: boolean; rulesVersion: number; state: string; timestamps: AllOfTimestampStatus[]; };

export type SignOff = { state: SignOffState; classification: Label; findingAt: string; byAccountId: string; byName: string; reason: string; askedAt: string | null; answers: AllOfSignOffAnswer[]; };

export type FullRecord = { __typename: 'AudioClassification'; apiVersion: string | null; refId: string; sourceUrl: string | null; identifier: string; kind: MediaKind; status: Status; outcome: Outcome; headline: { word: HeadlineWord; title: AllOfSentence; sentence: AllOfSentence; beside: AllOfSentence | null; documented: AllOfSentence | null; }; errors: string; name: string; hash: string; createdAt: string; cancelled: boolean; rights: RecordOperation[]; forceClassification: Label | null; signOff: SignOff | null; progress: AllOfProgress | null; partOf: string | null; submittedBy: AllOfSubmittedBy | null; stepTimes: AllOfStepTime[]; renditions: Rendition[]; tentative: Tentative | null; added: { analyses: string[]; error: string; progress: AllOfProgress | null; } | null; exports: ExportedReading[]; rulesVersion: number | null; readByRulesVersion: number | null; resultUrl: string; mimetype: string; filesize: number; origin: Origin; credits: number; endedAt: string | null; options: AllOfAnalysisOptions; verdict: AllOfVerdict | null; verdicts: AllOfVerdict[]; assessment: Assessment | null; provenance: Provenance | null; fileFacts: { facts: AllOfFileFact[]; contradictions: AllOfSentence[]; } | null; marks: AllOfMark[] | null; seenBefore: AllOfSeenBefore[]; durationSeconds: number | null; speechSeconds: number | null; results: ModelResult[]; clips: Clip[]; transcript: Transcript | null; } | { __typename: 'ImageClassification'; apiVersion: string | null; refId: string; sourceUrl: string | null; identifier: string; kind: MediaKind; status: Status; outcome: Outcome; headline: { word: HeadlineWord; title: AllOfSentence; sentence: AllOfSentence; beside: AllOfSentence | null; documented: AllOfSentence | null; }; errors: string; name: string; hash: string; createdAt: string; cancelled: boolean; rights: RecordOperation[]; forceClassification: Label | null; signOff: SignOff | null; progress: AllOfProgress | null; partOf: string | null; submittedBy: AllOfSubmittedBy | null; stepTimes: AllOfStepTime[]; renditions: Rendition[]; tentative: Tentative | null; added: { analyses: string[]; error: string; progress: AllOfProgress | null; } | null; exports: ExportedReading[]; rulesVersion: number | null; readByRulesVersion: number | null; resultUrl: string; mimetype: string; filesize: number; origin: Origin; credits: number; endedAt: string | null; options: AllOfAnalysisOptions; verdict: AllOfVerdict | null; verdicts: AllOfVerdict[]; assessment: Assessment | null; provenance: Provenance | null; fileFacts: { facts: AllOfFileFact[]; contradictions: AllOfSentence[]; } | null; marks: AllOfMark[] | null; seenBefore: AllOfSeenBefore[]; timeSeconds: number | null; width: number | null; height: number | null; medium: Medium | null; isNsfw: boolean | null; nsfwProbability: number | null; hasHeatmap: boolean; heatmapLayers: HeatmapLayer[]; results: ModelResult[]; details: { detections: Detection[]; }[]; } | { __typename: 'VideoClassification'; apiVersion: string | null; refId: string; sourceUrl: string | null; identifier: string; kind: MediaKind; status: Status; outcome: Outcome; headline: { word: HeadlineWord; title: AllOfSentence; sentence: AllOfSentence; beside: AllOfSentence | null; documented: AllOfSentence | null; }; errors: string; name: string; hash: string; createdAt: string; cancelled: boolean; rights: RecordOperation[]; forceClassification: Label | null; signOff: SignOff | null; progress: AllOfProgress | null; partOf: string | null; submittedBy: AllOfSubmittedBy | null; stepTimes: AllOfStepTime[]; renditions: Rendition[]; tentative: Tentative | null; added: { analyses: string[]; error: string; progress: AllOfProgress | null; } | null; exports: ExportedReading[]; rulesVersion: number | null; readByRulesVersion: number | null; resultUrl: string; mimetype: string; filesize: number; origin: Origin; credits: number; endedAt: string | null; options: AllOfAnalysisOptions; verdict: AllOfVerdict | null; verdicts: AllOfVerdict[]; assessment: Assessment | null; provenance: Provenance | null; fileFacts: { facts: AllOfFileFact[]; contradictions: AllOfSentence[]; } | null; marks: AllOfMark[] | null; seenBefore: AllOfSeenBefore[]; width: number | null; height: number | null; nsfwProbability: number | null; durationSeconds: number | null; images: Frame[]; audios: Track[]; shots: AllOfShot[]; };

export type SignOffJudge = { accountId: string; name: string; obstacleDays: number; obstacles: AllOfSignOffObstacle[]; };

export type AllOfAnalysisOptions = { ensureFacePerFrame: boolean; frames: number; keyFrames: boolean; keyFramesMethod: KeyFrameMethod; preventC2paForces: boolean; transcriptLanguage: string; withAudio: boolean; withHeatmap: boolean; withMorphing: boolean; withNsfw: boolean; withTampering: boolean; withTranscript: boolean; };

export type AllOfAnswerChange = { after: string; answer: RecheckedAnswer; before: string; };

export type AllOfApiKey = { createdAt: string; id: string; lastUsedAt: string | null; name: string; };

export type AllOfAppliedTrustList = { id: string; sha256: string; };

export type AllOfAuditEntry = { accountId: string | null; accountName: string; action: string; at: string; details: unknown; facade: string | null; remoteAddress: string | null; sequence: number; target: string; };

export type AllOfBackup = { bytes: number; createdAt: string | null; fault: string; files: number; name: string; version: string; withSecrets: boolean; };

export type AllOfBackupProgress = { bytes: number; copiedBytes: number; files: number; phase: string; };

export type AllOfBox = { x1: number; x2: number; y1: number; y2: number; };

export type AllOfCredits = { availableCredits: number; totalSpent: number; };

export type AllOfDeliveryAttempt = { at: string; elapsedMs: number; error: string; status: number | null; };

export type AllOfDesk = { createdAt: string; id: string; isManaged: boolean; name: string; ownRole: DeskRole | null; partnerId: string | null; };

export type AllOfDeskMember = { accountId: string; at: string; email: string; name: string; role: DeskRole; };

export type AllOfEvidenceExport = { bytes: number; error: string; files: number; filesTotal: number; id: string; name: string; state: string; timestamps: number; url: string | null; };

export type AllOfEvidenceKey = { createdAt: string; fingerprint: string; publicKeyPem: string; retiredAt: string | null; };

export type AllOfExportedReading = { at: string; byAccountId: string; classification: string; fingerprint: string; packageSha256: string; probability: number | null; readsOtherwise: boolean; rulesVersion: number; state: string; };

export type AllOfFileFact = { field: string; isSigned: boolean; kind: FactKind; value: string; };

export type AllOfFinding = { advice: string; found: string; name: string; state: FindingState; };

export type AllOfFolderFinding = { found: string; good: boolean; name: string; };

export type AllOfInTime = { answer: TimeAnswer; authority: string; stampedAt: string | null; };

export type AllOfIngredient = { format: string; manifest: string; relationship: IngredientRelationship; thumbnail: string; title: string; };

export type AllOfLabelSource = { rank: SourceRank; supports: string; title: string; };

export type AllOfLedgerEntry = { amount: number; at: string; identifier: string; reason: LedgerReason; sequence: number; };

export type AllOfMark = { field: string; kind: MarkKind; origin: DeclaredOrigin | null; state: MarkState; strength: MarkStrength; value: string; };

export type AllOfNoticeRule = { channel: NoticeChannel; createdAt: string; id: string; isPaused: boolean; kinds: MediaKind[]; name: string; ofEveryAccount: boolean; outcomes: Outcome[]; reason: string; target: string; };

export type AllOfOptionPrice = { credits: number; option: string; };

export type AllOfOuterManifest = { host: string; outcome: OuterManifestOutcome; reason: string; sha256: string; source: ManifestSource; };

export type AllOfOverrideEntry = { at: string; byAccountId: string; byName: string; classification: Label; measured: Label | null; reason: string; };

export type AllOfPlaceSpread = { count: number; spread: number; };

export type AllOfPlanKind = { credits: number; fileBytesMax: number; kind: MediaKind; };

export type AllOfProgress = { done: number; step: string; total: number; };

export type AllOfQuality = { jpegQuality: number | null; shortSide: number; truncated: boolean; };

export type AllOfQueueEntry = { accountId: string; accountName: string; analysisId: string; attempts: number; endedAt: string | null; error: string; identifiers: string[]; kind: MediaKind; queuedAt: string; startedAt: string | null; };

export type AllOfReadingNote = { code: string; explanation: string; isUnknown: boolean; };

export type AllOfSavedFilter = { deskId: string | null; kind: MediaKind | null; name: string; outcome: Outcome | null; search: string; since: string | null; text: string; until: string | null; waitsForMe: boolean; };

export type AllOfScore = { label: Label; score: number; };

export type AllOfSeenBefore = { accountId: string; createdAt: string; distance: number; earlierSeconds: number | null; finding: Label | null; foundAt: string | null; foundByAccountId: string | null; identifier: string; name: string; outcome: Outcome; relation: LikenessRelation; timeSeconds: number | null; };

export type AllOfSentence = { en: string; it: string; };

export type AllOfSetting = { description: string; file: string | null; key: string; lines: string; origin: string; takes: string; value: string; variable: string; };

export type AllOfShot = { firstFrame: number; lastFrame: number; suspiciousFrame: number; };

export type AllOfSignOffAnswer = { agrees: boolean; at: string; byAccountId: string; byName: string; reason: string; };

export type AllOfSignOffObstacle = { accountId: string; accountName: string; actorId: string | null; actorName: string; at: string | null; code: SignOffObstacleCode; keyId: string | null; };

export type AllOfSignedBy = { answer: SignerAnswer; assuranceLevel: number | null; fingerprint: string; issuer: string; name: string; organisation: string; product: string; validFrom: string | null; validUntil: string | null; };

export type AllOfStepTime = { seconds: number; step: string; times: number; };

export type AllOfSubmittedBy = { keyId: string | null; keyName: string; via: string; };

export type AllOfTentativeFrame = { probability: number | null; timeSeconds: number; };

export type AllOfTimelineStep = { action: string; at: string | null; by: string; description: string; kind: StepKind; sourceType: string; };

export type AllOfTimestampStatus = { authority: string; error: string; state: string; time: string | null; };

export type AllOfTrainingMining = { permission: string; use: string; };

export type AllOfTranscript = { fault: string; language: string; leftOutSeconds: number; model: string; segmentCount: number; version: string; wordCount: number; };

export type AllOfTrustList = { authorities: number; date: string; frozen: string; id: string; isOn: boolean; isUpdated: boolean; kind: TrustListKind; name: string; origin: TrustListOrigin; products: number; sha256: string; singleCertificates: number; source: string; terms: string; };

export type AllOfTrustListDiff = { added: string[]; addedCount: number; droppedSigners: string[]; id: string; removed: string[]; removedCount: number; sha256: string; };

export type AllOfTrustedCertificate = { fingerprint: string; isSingle: boolean; issuer: string; list: string; subject: string; validFrom: string; validUntil: string; };

export type AllOfVerdict = { classification: Label; confidence: number; count: number | null; heuristic: Heuristic; models: string[]; unknown: boolean | null; };

export type AllOfVoucher = { by: string; list: string; };

export type AllOfWaitReason = { sentence: string; step: string; };

export type AllOfWatchFolder = { accountEmail: string; accountId: string; createdAt: string; done: DoneAction; failed: number; finished: number; id: string; lookedAt: string | null; obstacles: string[]; options: string[]; path: string; reason: string; skipped: number; state: WatchState; submitted: number; unwritten: number; waiting: number; };

export type AllOfWatchedFile = { at: string; attempts: number; identifier: string; path: string; reason: string; retryAt: string | null; sizeBytes: number; state: WatchedFileState; };

export type AllOfWho = { answer: WhoAnswer; names: string[]; };

export type AllOfWorker = { clockOffsetSeconds: number; devices: string[]; done: number; drained: boolean; draining: boolean; failed: number; here: boolean; name: string; packs: string[]; places: number; refusal: string | null; running: number; version: string; };

export type RecordFacts = { apiVersion: string | null; refId: string; sourceUrl: string | null; };

/** Facts of a record with their labels: field, English, Italian, kind of value. */
export const RECORD_FACTS = [["apiVersion","Interface","Interfaccia","text"],["refId","Reference","Riferimento","text"],["sourceUrl","Fetched from","Prelevato da","text"]] as const;

export type ReadAccountAnswer = { viewer: { name: string; email: string; role: Role; heuristic: Heuristic; plan: { name: string; }; }; };
export const READ_ACCOUNT = 'query ReadAccount{viewer{name email role heuristic plan{name}}}' as Document<ReadAccountAnswer, {}>;

export type SetHeuristicAnswer = { updateAccount: { userErrors: Fault[]; }; };
export const SET_HEURISTIC = 'mutation SetHeuristic($input:UpdateAccountInput!){updateAccount(input:$input){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<SetHeuristicAnswer, { input: UpdateAccountInput;}>;

export type ReadKeysAnswer = { viewer: { keys: AllOfApiKey[]; }; };
export const READ_KEYS = 'query ReadKeys{viewer{keys{...AllOfApiKey}}}fragment AllOfApiKey on ApiKey{createdAt id lastUsedAt name}' as Document<ReadKeysAnswer, {}>;

export type CreateKeyAnswer = { createKey: { secret: string | null; userErrors: Fault[]; }; };
export const CREATE_KEY = 'mutation CreateKey($name:String!){createKey(name:$name){secret userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<CreateKeyAnswer, { name: string;}>;

export type RevealKeyAnswer = { revealKey: { secret: string | null; userErrors: Fault[]; }; };
export const REVEAL_KEY = 'mutation RevealKey($id:ID!$password:String!){revealKey(id:$id password:$password){secret userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RevealKeyAnswer, { id: string; password: string;}>;

export type ReplaceKeyAnswer = { replaceKey: { secret: string | null; userErrors: Fault[]; }; };
export const REPLACE_KEY = 'mutation ReplaceKey($id:ID!){replaceKey(id:$id){secret userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<ReplaceKeyAnswer, { id: string;}>;

export type RevokeKeyAnswer = { revokeKey: { userErrors: Fault[]; }; };
export const REVOKE_KEY = 'mutation RevokeKey($id:ID!$userId:ID){revokeKey(id:$id userId:$userId){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RevokeKeyAnswer, { id: string; userId?: string | null | undefined;}>;

export type ReadLedgerAnswer = { viewer: { ledger: { nodes: AllOfLedgerEntry[]; pageInfo: PageInfo; }; }; };
export const READ_LEDGER = 'query ReadLedger($after:String){viewer{ledger(first:50 after:$after){nodes{...AllOfLedgerEntry}pageInfo{...PageInfo}}}}fragment PageInfo on PageInfo{hasNextPage endCursor}fragment AllOfLedgerEntry on LedgerEntry{amount at identifier reason sequence}' as Document<ReadLedgerAnswer, { after?: string | null | undefined;}>;

export type ReadDeliveriesAnswer = { viewer: { deliveries: { nodes: WebhookDelivery[]; pageInfo: PageInfo; }; }; };
export const READ_DELIVERIES = 'fragment WebhookDelivery on WebhookDelivery{id identifier url state createdAt nextAttemptAt attempts{...AllOfDeliveryAttempt}}query ReadDeliveries($after:String){viewer{deliveries(first:25 after:$after){nodes{...WebhookDelivery}pageInfo{...PageInfo}}}}fragment PageInfo on PageInfo{hasNextPage endCursor}fragment AllOfDeliveryAttempt on DeliveryAttempt{at elapsedMs error status}' as Document<ReadDeliveriesAnswer, { after?: string | null | undefined;}>;

export type FollowDeliveriesAnswer = { deliveries: WebhookDelivery; };
export const FOLLOW_DELIVERIES = 'fragment WebhookDelivery on WebhookDelivery{id identifier url state createdAt nextAttemptAt attempts{...AllOfDeliveryAttempt}}subscription FollowDeliveries{deliveries{...WebhookDelivery}}fragment AllOfDeliveryAttempt on DeliveryAttempt{at elapsedMs error status}' as Document<FollowDeliveriesAnswer, {}>;

export type ReplayDeliveryAnswer = { replayDelivery: { delivery: WebhookDelivery | null; userErrors: Fault[]; }; };
export const REPLAY_DELIVERY = 'fragment WebhookDelivery on WebhookDelivery{id identifier url state createdAt nextAttemptAt attempts{...AllOfDeliveryAttempt}}mutation ReplayDelivery($id:ID!){replayDelivery(id:$id){delivery{...WebhookDelivery}userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}fragment AllOfDeliveryAttempt on DeliveryAttempt{at elapsedMs error status}' as Document<ReplayDeliveryAnswer, { id: string;}>;

export type ReadWebhookSecretAnswer = { viewer: { webhookSecret: string; }; };
export const READ_WEBHOOK_SECRET = 'query ReadWebhookSecret{viewer{webhookSecret}}' as Document<ReadWebhookSecretAnswer, {}>;

export type RotateWebhookSecretAnswer = { rotateWebhookSecret: { secret: string | null; userErrors: Fault[]; }; };
export const ROTATE_WEBHOOK_SECRET = 'mutation RotateWebhookSecret{rotateWebhookSecret{secret userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RotateWebhookSecretAnswer, {}>;

export type FollowCreditsAnswer = { credits: AllOfCredits; };
export const FOLLOW_CREDITS = 'subscription FollowCredits{credits{...AllOfCredits}}fragment AllOfCredits on Credits{availableCredits totalSpent}' as Document<FollowCreditsAnswer, {}>;

export type ReadDesksAnswer = { desks: Desk[]; };
export const READ_DESKS = 'query ReadDesks{desks{...Desk}}fragment Desk on Desk{...AllOfDesk members{...AllOfDeskMember}}fragment AllOfDesk on Desk{createdAt id isManaged name ownRole partnerId}fragment AllOfDeskMember on DeskMember{accountId at email name role}' as Document<ReadDesksAnswer, {}>;

export type AddDeskAnswer = { addDesk: { userErrors: Fault[]; }; };
export const ADD_DESK = 'mutation AddDesk($name:String!){addDesk(name:$name){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<AddDeskAnswer, { name: string;}>;

export type RenameDeskAnswer = { renameDesk: { userErrors: Fault[]; }; };
export const RENAME_DESK = 'mutation RenameDesk($id:ID!$name:String!){renameDesk(id:$id name:$name){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RenameDeskAnswer, { id: string; name: string;}>;

export type RemoveDeskAnswer = { removeDesk: { userErrors: Fault[]; }; };
export const REMOVE_DESK = 'mutation RemoveDesk($id:ID!){removeDesk(id:$id){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RemoveDeskAnswer, { id: string;}>;

export type SetDeskMemberAnswer = { setDeskMember: { userErrors: Fault[]; }; };
export const SET_DESK_MEMBER = 'mutation SetDeskMember($email:String!$id:ID!$role:DeskRole!){setDeskMember(email:$email id:$id role:$role){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<SetDeskMemberAnswer, { email: string; id: string; role: DeskRole;}>;

export type RemoveDeskMemberAnswer = { removeDeskMember: { userErrors: Fault[]; }; };
export const REMOVE_DESK_MEMBER = 'mutation RemoveDeskMember($email:String!$id:ID!){removeDeskMember(email:$email id:$id){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RemoveDeskMemberAnswer, { email: string; id: string;}>;

export type ReadNoticeRulesAnswer = { noticeRules: AllOfNoticeRule[]; };
export const READ_NOTICE_RULES = 'query ReadNoticeRules{noticeRules{...AllOfNoticeRule}}fragment AllOfNoticeRule on NoticeRule{channel createdAt id isPaused kinds name ofEveryAccount outcomes reason target}' as Document<ReadNoticeRulesAnswer, {}>;

export type CreateNoticeRuleAnswer = { createNoticeRule: { userErrors: Fault[]; }; };
export const CREATE_NOTICE_RULE = 'mutation CreateNoticeRule($input:NoticeRuleInput!){createNoticeRule(input:$input){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<CreateNoticeRuleAnswer, { input: NoticeRuleInput;}>;

export type SetNoticeRulePausedAnswer = { setNoticeRulePaused: { userErrors: Fault[]; }; };
export const SET_NOTICE_RULE_PAUSED = 'mutation SetNoticeRulePaused($id:ID!$paused:Boolean!){setNoticeRulePaused(id:$id paused:$paused){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<SetNoticeRulePausedAnswer, { id: string; paused: boolean;}>;

export type RemoveNoticeRuleAnswer = { removeNoticeRule: { userErrors: Fault[]; }; };
export const REMOVE_NOTICE_RULE = 'mutation RemoveNoticeRule($id:ID!){removeNoticeRule(id:$id){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RemoveNoticeRuleAnswer, { id: string;}>;

export type TestNoticeRuleAnswer = { testNoticeRule: { delivered: boolean; error: string; userErrors: Fault[]; }; };
export const TEST_NOTICE_RULE = 'mutation TestNoticeRule($id:ID!){testNoticeRule(id:$id){delivered error userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<TestNoticeRuleAnswer, { id: string;}>;

export type ReadCustodyAnswer = { custody: { nodes: ({ sequence: number; at: string; kind: string; accountId: string | null; accountName: string; facade: string; details: unknown; what: unknown; detailsDeletedAt: string | null; })[]; pageInfo: PageInfo; }; };
export const READ_CUSTODY = 'query ReadCustody($identifier:ID!$after:String){custody(identifier:$identifier first:50 after:$after){nodes{sequence at kind accountId accountName facade details what detailsDeletedAt}pageInfo{...PageInfo}}}fragment PageInfo on PageInfo{hasNextPage endCursor}' as Document<ReadCustodyAnswer, { identifier: string; after?: string | null | undefined;}>;

export type ExportEvidenceAnswer = { exportEvidence: { export: AllOfEvidenceExport | null; userErrors: ({ field: string | null; message: string; code: UserErrorCode; reason: string; })[]; }; };
export const EXPORT_EVIDENCE = 'mutation ExportEvidence($identifiers:[ID!]!$language:String$notes:String$title:String){exportEvidence(identifiers:$identifiers language:$language notes:$notes title:$title){export{...AllOfEvidenceExport}userErrors{field message code reason}}}fragment AllOfEvidenceExport on EvidenceExport{bytes error files filesTotal id name state timestamps url}' as Document<ExportEvidenceAnswer, { identifiers: readonly string[]; language?: string | null | undefined; notes?: string | null | undefined; title?: string | null | undefined;}>;

export type ReadExportAnswer = { evidenceExport: AllOfEvidenceExport; };
export const READ_EXPORT = 'query ReadExport($id:ID!){evidenceExport(id:$id){...AllOfEvidenceExport}}fragment AllOfEvidenceExport on EvidenceExport{bytes error files filesTotal id name state timestamps url}' as Document<ReadExportAnswer, { id: string;}>;

export type ReadEvidenceKeysAnswer = { evidenceKeys: AllOfEvidenceKey[]; };
export const READ_EVIDENCE_KEYS = 'query ReadEvidenceKeys{evidenceKeys{...AllOfEvidenceKey}}fragment AllOfEvidenceKey on EvidenceKey{createdAt fingerprint publicKeyPem retiredAt}' as Document<ReadEvidenceKeysAnswer, {}>;

export type ReadLabelAdviceAnswer = { labelAdvice: { duty: LabelDuty; reason: string; wording: string; place: string; sourceType: string; sources: AllOfLabelSource[]; }; };
export const READ_LABEL_ADVICE = 'query ReadLabelAdvice($input:LabelQuestionInput!){labelAdvice(input:$input){duty reason wording place sourceType sources{...AllOfLabelSource}}}fragment AllOfLabelSource on LabelSource{rank supports title}' as Document<ReadLabelAdviceAnswer, { input: LabelQuestionInput;}>;

export type FindByPictureAnswer = { findByPicture: { search: PictureSearch | null; userErrors: Fault[]; }; };
export const FIND_BY_PICTURE = 'mutation FindByPicture($input:FindByPictureInput!){findByPicture(input:$input){search{...PictureSearch}userErrors{...Fault}}}fragment PictureSearch on PictureSearch{searched withoutParts found{identifier name createdAt degree isMirrored distance places timeSeconds outcome finding foundAt}}fragment Fault on UserError{code reason field message metadata}' as Document<FindByPictureAnswer, { input: FindByPictureInput;}>;

export type FindSimilarAnswer = { similarPictures: PictureSearch; };
export const FIND_SIMILAR = 'query FindSimilar($identifier:ID!){similarPictures(identifier:$identifier){...PictureSearch}}fragment PictureSearch on PictureSearch{searched withoutParts found{identifier name createdAt degree isMirrored distance places timeSeconds outcome finding foundAt}}' as Document<FindSimilarAnswer, { identifier: string;}>;

export type ReadApplianceAnswer = { appliance: { version: string; phase: string; notReadyReason: string | null; isolation: string | null; queueDepth: number | null; running: number | null; uptimeSeconds: number | null; rssAnonBytes: number | null; diskFreeBytes: number | null; }; };
export const READ_APPLIANCE = 'query ReadAppliance{appliance{version phase notReadyReason isolation queueDepth running uptimeSeconds rssAnonBytes diskFreeBytes}}' as Document<ReadApplianceAnswer, {}>;

export type ReadFindingsAnswer = { findings: AllOfFinding[]; };
export const READ_FINDINGS = 'query ReadFindings{findings{...AllOfFinding}}fragment AllOfFinding on Finding{advice found name state}' as Document<ReadFindingsAnswer, {}>;

export type ReadAuditAnswer = { auditEntries: { nodes: AllOfAuditEntry[]; pageInfo: PageInfo; }; };
export const READ_AUDIT = 'query ReadAudit($after:String){auditEntries(first:50 after:$after){nodes{...AllOfAuditEntry}pageInfo{...PageInfo}}}fragment PageInfo on PageInfo{hasNextPage endCursor}fragment AllOfAuditEntry on AuditEntry{accountId accountName action at details facade remoteAddress sequence target}' as Document<ReadAuditAnswer, { after?: string | null | undefined;}>;

export type ReadBackupsAnswer = { backups: { folder: string | null; lastGoodAt: string | null; lastError: string | null; isTooOld: boolean; isRunning: boolean; progress: AllOfBackupProgress | null; backups: AllOfBackup[]; }; };
export const READ_BACKUPS = 'query ReadBackups{backups{folder lastGoodAt lastError isTooOld isRunning progress{...AllOfBackupProgress}backups{...AllOfBackup}}}fragment AllOfBackup on Backup{bytes createdAt fault files name version withSecrets}fragment AllOfBackupProgress on BackupProgress{bytes copiedBytes files phase}' as Document<ReadBackupsAnswer, {}>;

export type StartBackupAnswer = { startBackup: { started: boolean; userErrors: Fault[]; }; };
export const START_BACKUP = 'mutation StartBackup($withSecrets:Boolean){startBackup(withSecrets:$withSecrets){started userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<StartBackupAnswer, { withSecrets?: boolean | null | undefined;}>;

export type BenchModelsAnswer = { modelBench: { id: string; provider: string; items: number; itemsPerSecond: number; singleMs: number; error: string; }; };
export const BENCH_MODELS = 'subscription BenchModels{modelBench{id provider items itemsPerSecond singleMs error}}' as Document<BenchModelsAnswer, {}>;

export type ReadModelsAnswer = { appliance: { models: Model[]; }; };
export const READ_MODELS = 'fragment Model on Model{id version name task provider fault licence source weight figures}query ReadModels{appliance{models{...Model}}}' as Document<ReadModelsAnswer, {}>;

export type ReadModelCardAnswer = { modelCard: string; };
export const READ_MODEL_CARD = 'query ReadModelCard($id:ID!){modelCard(id:$id)}' as Document<ReadModelCardAnswer, { id: string;}>;

export type ReadPlansAnswer = { plans: Plan[]; };
export const READ_PLANS = 'fragment Plan on Plan{id name sku options kinds{...AllOfPlanKind}rateLimitPerMinute mediaDays recordDays zeroRetention seenBeforeAcrossUsers fourEyes fourEyesDays c2paPolicy}query ReadPlans{plans{...Plan}}fragment AllOfPlanKind on PlanKind{credits fileBytesMax kind}' as Document<ReadPlansAnswer, {}>;

export type CreatePlanAnswer = { createPlan: { userErrors: Fault[]; }; };
export const CREATE_PLAN = 'mutation CreatePlan($input:PlanInput!){createPlan(input:$input){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<CreatePlanAnswer, { input: PlanInput;}>;

export type UpdatePlanAnswer = { updatePlan: { userErrors: Fault[]; }; };
export const UPDATE_PLAN = 'mutation UpdatePlan($id:ID!$input:PlanInput!){updatePlan(id:$id input:$input){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<UpdatePlanAnswer, { id: string; input: PlanInput;}>;

export type ReadWorkersAnswer = { workers: AllOfWorker[]; };
export const READ_WORKERS = 'query ReadWorkers{workers{...AllOfWorker}}fragment AllOfWorker on Worker{clockOffsetSeconds devices done drained draining failed here name packs places refusal running version}' as Document<ReadWorkersAnswer, {}>;

export type DrainWorkerAnswer = { drainWorker: { userErrors: Fault[]; }; };
export const DRAIN_WORKER = 'mutation DrainWorker($name:String!){drainWorker(name:$name){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<DrainWorkerAnswer, { name: string;}>;

export type ResumeWorkerAnswer = { resumeWorker: { userErrors: Fault[]; }; };
export const RESUME_WORKER = 'mutation ResumeWorker($name:String!){resumeWorker(name:$name){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<ResumeWorkerAnswer, { name: string;}>;

export type ForgetWorkerAnswer = { forgetWorker: { userErrors: Fault[]; }; };
export const FORGET_WORKER = 'mutation ForgetWorker($name:String!){forgetWorker(name:$name){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<ForgetWorkerAnswer, { name: string;}>;

export type ReadQueueAnswer = { queue: { runningTotal: number; waitingTotal: number; waitReason: AllOfWaitReason | null; running: AllOfQueueEntry[]; waiting: AllOfQueueEntry[]; failed: AllOfQueueEntry[]; }; };
export const READ_QUEUE = 'query ReadQueue{queue(first:50){runningTotal waitingTotal waitReason{...AllOfWaitReason}running{...AllOfQueueEntry}waiting{...AllOfQueueEntry}failed{...AllOfQueueEntry}}}fragment AllOfQueueEntry on QueueEntry{accountId accountName analysisId attempts endedAt error identifiers kind queuedAt startedAt}fragment AllOfWaitReason on WaitReason{sentence step}' as Document<ReadQueueAnswer, {}>;

export type CancelWorkAnswer = { cancelAnalysis: { userErrors: Fault[]; }; };
export const CANCEL_WORK = 'mutation CancelWork($analysisId:ID!){cancelAnalysis(analysisId:$analysisId){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<CancelWorkAnswer, { analysisId: string;}>;

export type RetryWorkAnswer = { retryAnalysis: { userErrors: Fault[]; }; };
export const RETRY_WORK = 'mutation RetryWork($analysisId:ID!){retryAnalysis(analysisId:$analysisId){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RetryWorkAnswer, { analysisId: string;}>;

export type ReadUsersAnswer = { users: { nodes: UserRow[]; pageInfo: PageInfo; }; };
export const READ_USERS = 'fragment UserRow on User{id name email role readonly balance hasPassword pricing{id name}}query ReadUsers($after:String$filter:String){users(first:50 after:$after filter:$filter){nodes{...UserRow}pageInfo{...PageInfo}}}fragment PageInfo on PageInfo{hasNextPage endCursor}' as Document<ReadUsersAnswer, { after?: string | null | undefined; filter?: string | null | undefined;}>;

export type ReadPlanNamesAnswer = { plans: { id: string; name: string; }[]; };
export const READ_PLAN_NAMES = 'query ReadPlanNames{plans{id name}}' as Document<ReadPlanNamesAnswer, {}>;

export type SendCreationEmailAnswer = { sendCreationEmail: { sent: boolean | null; file: string | null; userErrors: Fault[]; }; };
export const SEND_CREATION_EMAIL = 'mutation SendCreationEmail($id:ID!){sendCreationEmail(id:$id){sent file userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<SendCreationEmailAnswer, { id: string;}>;

export type ResetPasswordAnswer = { resetPassword: { link: string | null; userErrors: Fault[]; }; };
export const RESET_PASSWORD = 'mutation ResetPassword($email:String!){resetPassword(email:$email){link userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<ResetPasswordAnswer, { email: string;}>;

export type CreateUserAnswer = { createUser: { userErrors: Fault[]; }; };
export const CREATE_USER = 'mutation CreateUser($input:UserInput!){createUser(input:$input){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<CreateUserAnswer, { input: UserInput;}>;

export type UpdateUserAnswer = { updateUser: { userErrors: Fault[]; }; };
export const UPDATE_USER = 'mutation UpdateUser($id:ID!$input:UserInput!){updateUser(id:$id input:$input){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<UpdateUserAnswer, { id: string; input: UserInput;}>;

export type DeleteUserAnswer = { deleteUser: { userErrors: Fault[]; }; };
export const DELETE_USER = 'mutation DeleteUser($id:ID!){deleteUser(id:$id){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<DeleteUserAnswer, { id: string;}>;

export type GrantCreditsAnswer = { grantCredits: { userErrors: Fault[]; }; };
export const GRANT_CREDITS = 'mutation GrantCredits($id:ID!$amount:Int!){grantCredits(id:$id amount:$amount){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<GrantCreditsAnswer, { id: string; amount: number;}>;

export type ReadWatchFoldersAnswer = { watchRoots: string[]; watchFolders: AllOfWatchFolder[]; };
export const READ_WATCH_FOLDERS = 'query ReadWatchFolders{watchRoots watchFolders{...AllOfWatchFolder}}fragment AllOfWatchFolder on WatchFolder{accountEmail accountId createdAt done failed finished id lookedAt obstacles options path reason skipped state submitted unwritten waiting}' as Document<ReadWatchFoldersAnswer, {}>;

export type ReadFailedFilesAnswer = { watchedFiles: { nodes: AllOfWatchedFile[]; pageInfo: PageInfo; }; };
export const READ_FAILED_FILES = 'query ReadFailedFiles($id:ID!$after:String){watchedFiles(id:$id state:FAILED first:25 after:$after){nodes{...AllOfWatchedFile}pageInfo{...PageInfo}}}fragment PageInfo on PageInfo{hasNextPage endCursor}fragment AllOfWatchedFile on WatchedFile{at attempts identifier path reason retryAt sizeBytes state}' as Document<ReadFailedFilesAnswer, { id: string; after?: string | null | undefined;}>;

export type AddWatchFolderAnswer = { addWatchFolder: { findings: AllOfFolderFinding[]; unitLines: string[]; userErrors: Fault[]; }; };
export const ADD_WATCH_FOLDER = 'mutation AddWatchFolder($path:String!$done:DoneAction$options:[String!]){addWatchFolder(path:$path done:$done options:$options){findings{...AllOfFolderFinding}unitLines userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}fragment AllOfFolderFinding on FolderFinding{found good name}' as Document<AddWatchFolderAnswer, { path: string; done?: DoneAction | null | undefined; options?: readonly string[] | null | undefined;}>;

export type TestWatchFolderAnswer = { testWatchFolder: { findings: AllOfFolderFinding[]; unitLines: string[]; userErrors: Fault[]; }; };
export const TEST_WATCH_FOLDER = 'mutation TestWatchFolder($path:String!){testWatchFolder(path:$path){findings{...AllOfFolderFinding}unitLines userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}fragment AllOfFolderFinding on FolderFinding{found good name}' as Document<TestWatchFolderAnswer, { path: string;}>;

export type PauseWatchFolderAnswer = { pauseWatchFolder: { userErrors: Fault[]; }; };
export const PAUSE_WATCH_FOLDER = 'mutation PauseWatchFolder($id:ID!){pauseWatchFolder(id:$id){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<PauseWatchFolderAnswer, { id: string;}>;

export type ResumeWatchFolderAnswer = { resumeWatchFolder: { userErrors: Fault[]; }; };
export const RESUME_WATCH_FOLDER = 'mutation ResumeWatchFolder($id:ID!$retryFailed:Boolean){resumeWatchFolder(id:$id retryFailed:$retryFailed){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<ResumeWatchFolderAnswer, { id: string; retryFailed?: boolean | null | undefined;}>;

export type RemoveWatchFolderAnswer = { removeWatchFolder: { userErrors: Fault[]; }; };
export const REMOVE_WATCH_FOLDER = 'mutation RemoveWatchFolder($id:ID!){removeWatchFolder(id:$id){userErrors{...Fault}}}fragment Fault on UserError{code reason field message metadata}' as Document<RemoveWatchFolderAnswer, { id: string;}>;

export type ReadSettingAnswer = { setting: AllOfSetting; };
export const READ_SETTING = 'query ReadSetting($key:String!){setting(key:$key){...AllOfSetting}}fragment AllOfSetting on Setting{description file key lines origin takes value variable}' as Document<ReadSettingAnswer, { key: string;}>;

export type ListRecordsAnswer = { classifications: { nodes: (ListedRecord | null)[]; pageInfo: PageInfo; }; };
export const LIST_RECORDS = 'fragment PageInfo on PageInfo{hasNextPage endCursor}fragment ListedRecord on Classification{identifier kind status outcome headline{word title{...AllOfSentence}}errors name refId hash createdAt resultUrl cancelled deskId accountId accountName forceClassification signOff{state}progress{...AllOfProgress}...on ImageClassification{isNsfw}...on VideoClassification{isNsfw}verdict{heuristic confidence classification models}assessment{state probability reasons{code side said{...AllOfSentence}}}provenance{readings{state unchanged signedBy{answer name}inTime{answer}who{answer}}}}query ListRecords($kind:MediaKind$filter:ClassificationFilter$first:Int$after:String){classifications(kind:$kind filter:$filter first:$first after:$after){nodes{...ListedRecord}pageInfo{...PageInfo}}}fragment AllOfProgress on Progress{done step total}fragment AllOfSentence on Sentence{en it}' as Document<ListRecordsAnswer, { kind?: MediaKind | null | undefined; filter?: ClassificationFilter | null | undefined; first?: number | null | undefined; after?: string | null | undefined;}>;

export type FollowRecordsAnswer = { classifications: ListedRecord; };
export const FOLLOW_RECORDS = 'fragment ListedRecord on Classification{identifier kind status outcome headline{word title{...AllOfSentence}}errors name refId hash createdAt resultUrl cancelled deskId accountId accountName forceClassification signOff{state}progress{...AllOfProgress}...on ImageClassification{isNsfw}...on VideoClassification{isNsfw}verdict{heuristic confidence classification models}assessment{state probability reasons{code side said{...AllOfSentence}}}provenance{readings{state unchanged signedBy{answer name}inTime{answer}who{answer}}}}subscription FollowRecords($kind:MediaKind$waitsForMe:Boolean){classifications(kind:$kind waitsForMe:$waitsForMe){...ListedRecord}}fragment AllOfProgress on Progress{done step total}fragment AllOfSentence on Sentence{en it}' as Document<FollowRecordsAnswer, { kind?: MediaKind | null | undefined; waitsForMe?: boolean | null | undefined;}>;

export type DeleteRecordAnswer = { deleteClassification: { deletedIdentifier: string | null; userErrors: Fault[]; }; };
export const DELETE_RECORD = 'fragment Fault on UserError{code reason field message metadata}mutation DeleteRecord($identifier:ID!){deleteClassification(identifier:$identifier){deletedIdentifier userErrors{...Fault}}}' as Document<DeleteRecordAnswer, { identifier: string;}>;

export type ReadSavedFiltersAnswer = { savedFilters: AllOfSavedFilter[]; };
export const READ_SAVED_FILTERS = 'query ReadSavedFilters{savedFilters{...AllOfSavedFilter}}fragment AllOfSavedFilter on SavedFilter{deskId kind name outcome search since text until waitsForMe}' as Document<ReadSavedFiltersAnswer, {}>;

export type SaveFilterAnswer = { saveFilter: { filter: AllOfSavedFilter | null; userErrors: Fault[]; }; };
export const SAVE_FILTER = 'fragment Fault on UserError{code reason field message metadata}mutation SaveFilter($input:SaveFilterInput!){saveFilter(input:$input){filter{...AllOfSavedFilter}userErrors{...Fault}}}fragment AllOfSavedFilter on SavedFilter{deskId kind name outcome search since text until waitsForMe}' as Document<SaveFilterAnswer, { input: SaveFilterInput;}>;

export type RemoveSavedFilterAnswer = { removeSavedFilter: { userErrors: Fault[]; }; };
export const REMOVE_SAVED_FILTER = 'fragment Fault on UserError{code reason field message metadata}mutation RemoveSavedFilter($name:String!){removeSavedFilter(name:$name){userErrors{...Fault}}}' as Document<RemoveSavedFilterAnswer, { name: string;}>;

export type ReadRecordAnswer = { classification: FullRecord; };
export const READ_RECORD = 'fragment ModelResult on ModelResult{model version axis device unknown reason elapsedTime classification{...AllOfScore}places{...AllOfPlaceSpread}}fragment Clip on Clip{index start end verdict{...Verdict}results{...ModelResult}}fragment Verdict on Verdict{heuristic confidence classification models}fragment Detection on Detection{box{...AllOfBox}verdict{...Verdict}results{...ModelResult}}fragment ProvenanceReadings on ProvenanceReadings{state unchanged signedBy{...AllOfSignedBy lists{...AllOfVoucher}}inTime{...AllOfInTime}who{...AllOfWho}notes{...AllOfReadingNote}}fragment Manifest on Manifest{label title generator isActive readings{...ProvenanceReadings}steps{...AllOfTimelineStep sourceTypeWords{...AllOfSentence}}ingredients{...AllOfIngredient}trainingMining{...AllOfTrainingMining}}fragment Provenance on Provenance{readings{...ProvenanceReadings}sentence{...AllOfSentence}source manifests{...Manifest}leftOut lists{...AllOfAppliedTrustList}readAt remoteManifestUrl fault outer{...AllOfOuterManifest}isFormatUnreadable}fragment Assessment on Assessment{state strength probability log10LikelihoodRatio declaredOrigin remoteManifestUrl reasons{code side said{...AllOfSentence}}stability{flips notNeeded variants{name probability}}quality{...AllOfQuality}}fragment Tentative on Tentative{state probability frames{...AllOfTentativeFrame}clips{start probability}transcript{...TranscriptSegment}}fragment Rendition on Rendition{kind isNeeded}fragment Frame on ImageClassification{identifier timeSeconds hash width height verdict{...Verdict}results{...ModelResult}assessment{state probability}}fragment Track on AudioClassification{identifier durationSeconds speechSeconds verdict{...Verdict}results{...ModelResult}assessment{state probability}clips{...Clip}transcript{...Transcript}}fragment Transcript on Transcript{...AllOfTranscript segments{...TranscriptSegment}}fragment TranscriptSegment on TranscriptSegment{startSeconds endSeconds text confidence language channel}fragment ExportedReading on ExportedReading{...AllOfExportedReading timestamps{...AllOfTimestampStatus}}fragment SignOff on SignOff{state classification findingAt byAccountId byName reason askedAt answers{...AllOfSignOffAnswer}}fragment FullRecord on Classification{__typename ...RecordFacts identifier kind status outcome headline{word title{...AllOfSentence}sentence{...AllOfSentence}beside{...AllOfSentence}documented{...AllOfSentence}}errors name hash createdAt cancelled rights forceClassification signOff{...SignOff}progress{...AllOfProgress}partOf submittedBy{...AllOfSubmittedBy}stepTimes{...AllOfStepTime}renditions{...Rendition}tentative{...Tentative}added{analyses error progress{...AllOfProgress}}exports{...ExportedReading}rulesVersion readByRulesVersion resultUrl mimetype filesize origin credits endedAt options{...AllOfAnalysisOptions}verdict{...AllOfVerdict}verdicts{...AllOfVerdict}assessment{...Assessment}provenance{...Provenance}fileFacts{facts{...AllOfFileFact}contradictions{...AllOfSentence}}marks{...AllOfMark}seenBefore{...AllOfSeenBefore}...on ImageClassification{timeSeconds width height medium isNsfw nsfwProbability hasHeatmap heatmapLayers results{...ModelResult}details{detections{...Detection}}}...on AudioClassification{durationSeconds speechSeconds results{...ModelResult}clips{...Clip}transcript{...Transcript}}...on VideoClassification{width height nsfwProbability durationSeconds images{...Frame}audios{...Track}shots{...AllOfShot}}}query ReadRecord($identifier:ID!){classification(identifier:$identifier){...FullRecord}}fragment AllOfAnalysisOptions on AnalysisOptions{ensureFacePerFrame frames keyFrames keyFramesMethod preventC2paForces transcriptLanguage withAudio withHeatmap withMorphing withNsfw withTampering withTranscript}fragment AllOfAppliedTrustList on AppliedTrustList{id sha256}fragment AllOfBox on Box{x1 x2 y1 y2}fragment AllOfExportedReading on ExportedReading{at byAccountId classification fingerprint packageSha256 probability readsOtherwise rulesVersion state}fragment AllOfFileFact on FileFact{field isSigned kind value}fragment AllOfInTime on InTime{answer authority stampedAt}fragment AllOfIngredient on Ingredient{format manifest relationship thumbnail title}fragment AllOfMark on Mark{field kind origin state strength value}fragment AllOfOuterManifest on OuterManifest{host outcome reason sha256 source}fragment AllOfPlaceSpread on PlaceSpread{count spread}fragment AllOfProgress on Progress{done step total}fragment AllOfQuality on Quality{jpegQuality shortSide truncated}fragment AllOfReadingNote on ReadingNote{code explanation isUnknown}fragment AllOfScore on Score{label score}fragment AllOfSeenBefore on SeenBefore{accountId createdAt distance earlierSeconds finding foundAt foundByAccountId identifier name outcome relation timeSeconds}fragment AllOfSentence on Sentence{en it}fragment AllOfShot on Shot{firstFrame lastFrame suspiciousFrame}fragment AllOfSignOffAnswer on SignOffAnswer{agrees at byAccountId byName reason}fragment AllOfSignedBy on SignedBy{answer assuranceLevel fingerprint issuer name organisation product validFrom validUntil}fragment AllOfStepTime on StepTime{seconds step times}fragment AllOfSubmittedBy on SubmittedBy{keyId keyName via}fragment AllOfTentativeFrame on TentativeFrame{probability timeSeconds}fragment AllOfTimelineStep on TimelineStep{action at by description kind sourceType}fragment AllOfTimestampStatus on TimestampStatus{authority error state time}fragment AllOfTrainingMining on TrainingMining{permission use}fragment AllOfTranscript on Transcript{fault language leftOutSeconds model segmentCount version wordCount}fragment AllOfVerdict on Verdict{classification confidence count heuristic models unknown}fragment AllOfVoucher on Voucher{by list}fragment AllOfWho on Who{answer names}fragment RecordFacts on Classification{apiVersion refId sourceUrl}' as Document<ReadRecordAnswer, { identifier: string;}>;

export type FollowRecordAnswer = { classification: FullRecord; };
export const FOLLOW_RECORD = 'fragment ModelResult on ModelResult{model version axis device unknown reason elapsedTime classification{...AllOfScore}places{...AllOfPlaceSpread}}fragment Clip on Clip{index start end verdict{...Verdict}results{...ModelResult}}fragment Verdict on Verdict{heuristic confidence classification models}fragment Detection on Detection{box{...AllOfBox}verdict{...Verdict}results{...ModelResult}}fragment ProvenanceReadings on ProvenanceReadings{state unchanged signedBy{...AllOfSignedBy lists{...AllOfVoucher}}inTime{...AllOfInTime}who{...AllOfWho}notes{...AllOfReadingNote}}fragment Manifest on Manifest{label title generator isActive readings{...ProvenanceReadings}steps{...AllOfTimelineStep sourceTypeWords{...AllOfSentence}}ingredients{...AllOfIngredient}trainingMining{...AllOfTrainingMining}}fragment Provenance on Provenance{readings{...ProvenanceReadings}sentence{...AllOfSentence}source manifests{...Manifest}leftOut lists{...AllOfAppliedTrustList}readAt remoteManifestUrl fault outer{...AllOfOuterManifest}isFormatUnreadable}fragment Assessment on Assessment{state strength probability log10LikelihoodRatio declaredOrigin remoteManifestUrl reasons{code side said{...AllOfSentence}}stability{flips notNeeded variants{name probability}}quality{...AllOfQuality}}fragment Tentative on Tentative{state probability frames{...AllOfTentativeFrame}clips{start probability}transcript{...TranscriptSegment}}fragment Rendition on Rendition{kind isNeeded}fragment Frame on ImageClassification{identifier timeSeconds hash width height verdict{...Verdict}results{...ModelResult}assessment{state probability}}fragment Track on AudioClassification{identifier durationSeconds speechSeconds verdict{...Verdict}results{...ModelResult}assessment{state probability}clips{...Clip}transcript{...Transcript}}fragment Transcript on Transcript{...AllOfTranscript segments{...TranscriptSegment}}fragment TranscriptSegment on TranscriptSegment{startSeconds endSeconds text confidence language channel}fragment ExportedReading on ExportedReading{...AllOfExportedReading timestamps{...AllOfTimestampStatus}}fragment SignOff on SignOff{state classification findingAt byAccountId byName reason askedAt answers{...AllOfSignOffAnswer}}fragment FullRecord on Classification{__typename ...RecordFacts identifier kind status outcome headline{word title{...AllOfSentence}sentence{...AllOfSentence}beside{...AllOfSentence}documented{...AllOfSentence}}errors name hash createdAt cancelled rights forceClassification signOff{...SignOff}progress{...AllOfProgress}partOf submittedBy{...AllOfSubmittedBy}stepTimes{...AllOfStepTime}renditions{...Rendition}tentative{...Tentative}added{analyses error progress{...AllOfProgress}}exports{...ExportedReading}rulesVersion readByRulesVersion resultUrl mimetype filesize origin credits endedAt options{...AllOfAnalysisOptions}verdict{...AllOfVerdict}verdicts{...AllOfVerdict}assessment{...Assessment}provenance{...Provenance}fileFacts{facts{...AllOfFileFact}contradictions{...AllOfSentence}}marks{...AllOfMark}seenBefore{...AllOfSeenBefore}...on ImageClassification{timeSeconds width height medium isNsfw nsfwProbability hasHeatmap heatmapLayers results{...ModelResult}details{detections{...Detection}}}...on AudioClassification{durationSeconds speechSeconds results{...ModelResult}clips{...Clip}transcript{...Transcript}}...on VideoClassification{width height nsfwProbability durationSeconds images{...Frame}audios{...Track}shots{...AllOfShot}}}subscription FollowRecord($identifier:ID!){classification(identifier:$identifier){...FullRecord}}fragment AllOfAnalysisOptions on AnalysisOptions{ensureFacePerFrame frames keyFrames keyFramesMethod preventC2paForces transcriptLanguage withAudio withHeatmap withMorphing withNsfw withTampering withTranscript}fragment AllOfAppliedTrustList on AppliedTrustList{id sha256}fragment AllOfBox on Box{x1 x2 y1 y2}fragment AllOfExportedReading on ExportedReading{at byAccountId classification fingerprint packageSha256 probability readsOtherwise rulesVersion state}fragment AllOfFileFact on FileFact{field isSigned kind value}fragment AllOfInTime on InTime{answer authority stampedAt}fragment AllOfIngredient on Ingredient{format manifest relationship thumbnail title}fragment AllOfMark on Mark{field kind origin state strength value}fragment AllOfOuterManifest on OuterManifest{host outcome reason sha256 source}fragment AllOfPlaceSpread on PlaceSpread{count spread}fragment AllOfProgress on Progress{done step total}fragment AllOfQuality on Quality{jpegQuality shortSide truncated}fragment AllOfReadingNote on ReadingNote{code explanation isUnknown}fragment AllOfScore on Score{label score}fragment AllOfSeenBefore on SeenBefore{accountId createdAt distance earlierSeconds finding foundAt foundByAccountId identifier name outcome relation timeSeconds}fragment AllOfSentence on Sentence{en it}fragment AllOfShot on Shot{firstFrame lastFrame suspiciousFrame}fragment AllOfSignOffAnswer on SignOffAnswer{agrees at byAccountId byName reason}fragment AllOfSignedBy on SignedBy{answer assuranceLevel fingerprint issuer name organisation product validFrom validUntil}fragment AllOfStepTime on StepTime{seconds step times}fragment AllOfSubmittedBy on SubmittedBy{keyId keyName via}fragment AllOfTentativeFrame on TentativeFrame{probability timeSeconds}fragment AllOfTimelineStep on TimelineStep{action at by description kind sourceType}fragment AllOfTimestampStatus on TimestampStatus{authority error state time}fragment AllOfTrainingMining on TrainingMining{permission use}fragment AllOfTranscript on Transcript{fault language leftOutSeconds model segmentCount version wordCount}fragment AllOfVerdict on Verdict{classification confidence count heuristic models unknown}fragment AllOfVoucher on Voucher{by list}fragment AllOfWho on Who{answer names}fragment RecordFacts on Classification{apiVersion refId sourceUrl}' as Document<FollowRecordAnswer, { identifier: string;}>;

export type ReadOverridesAnswer = { overrides: AllOfOverrideEntry[]; };
export const READ_OVERRIDES = 'query ReadOverrides($hash:String!$kind:MediaKind!){overrides(hash:$hash kind:$kind){...AllOfOverrideEntry}}fragment AllOfOverrideEntry on OverrideEntry{at byAccountId byName classification measured reason}' as Document<ReadOverridesAnswer, { hash: string; kind: MediaKind;}>;

export type ReadModelFiguresAnswer = { appliance: { models: { id: string; version: string; name: string; figures: unknown; }[]; }; };
export const READ_MODEL_FIGURES = 'query ReadModelFigures{appliance{models{id version name figures}}}' as Document<ReadModelFiguresAnswer, {}>;

export type CancelRecordAnswer = { cancelClassification: { userErrors: Fault[]; }; };
export const CANCEL_RECORD = 'fragment Fault on UserError{code reason field message metadata}mutation CancelRecord($identifier:ID!){cancelClassification(identifier:$identifier){userErrors{...Fault}}}' as Document<CancelRecordAnswer, { identifier: string;}>;

export type AddAnalysesAnswer = { addAnalyses: { userErrors: Fault[]; }; };
export const ADD_ANALYSES = 'fragment Fault on UserError{code reason field message metadata}mutation AddAnalyses($analyses:[String!]!$identifier:ID!){addAnalyses(analyses:$analyses identifier:$identifier){userErrors{...Fault}}}' as Document<AddAnalysesAnswer, { analyses: readonly string[]; identifier: string;}>;

export type RetryRecordAnswer = { retryClassification: { userErrors: Fault[]; }; };
export const RETRY_RECORD = 'fragment Fault on UserError{code reason field message metadata}mutation RetryRecord($identifier:ID!){retryClassification(identifier:$identifier){userErrors{...Fault}}}' as Document<RetryRecordAnswer, { identifier: string;}>;

export type SetOverrideAnswer = { overrideClassification: { userErrors: Fault[]; }; };
export const SET_OVERRIDE = 'fragment Fault on UserError{code reason field message metadata}mutation SetOverride($input:OverrideClassificationInput!){overrideClassification(input:$input){userErrors{...Fault}}}' as Document<SetOverrideAnswer, { input: OverrideClassificationInput;}>;

export type RemoveOverrideAnswer = { removeOverride: { userErrors: Fault[]; }; };
export const REMOVE_OVERRIDE = 'fragment Fault on UserError{code reason field message metadata}mutation RemoveOverride($input:RemoveOverrideInput!){removeOverride(input:$input){userErrors{...Fault}}}' as Document<RemoveOverrideAnswer, { input: RemoveOverrideInput;}>;

export type AskSignOffAnswer = { askSignOff: { userErrors: Fault[]; }; };
export const ASK_SIGN_OFF = 'fragment Fault on UserError{code reason field message metadata}mutation AskSignOff($identifier:ID!){askSignOff(identifier:$identifier){userErrors{...Fault}}}' as Document<AskSignOffAnswer, { identifier: string;}>;

export type AnswerSignOffAnswer = { answerSignOff: { userErrors: Fault[]; }; };
export const ANSWER_SIGN_OFF = 'fragment Fault on UserError{code reason field message metadata}mutation AnswerSignOff($input:AnswerSignOffInput!){answerSignOff(input:$input){userErrors{...Fault}}}' as Document<AnswerSignOffAnswer, { input: AnswerSignOffInput;}>;

export type ReadSignOffsWaitingAnswer = { signOffsWaiting: number; };
export const READ_SIGN_OFFS_WAITING = 'query ReadSignOffsWaiting{signOffsWaiting}' as Document<ReadSignOffsWaitingAnswer, {}>;

export type ReadSignOffJudgesAnswer = { signOffJudges: SignOffJudge[]; };
export const READ_SIGN_OFF_JUDGES = 'query ReadSignOffJudges($identifier:ID!){signOffJudges(identifier:$identifier){...SignOffJudge}}fragment SignOffJudge on SignOffJudge{accountId name obstacleDays obstacles{...AllOfSignOffObstacle}}fragment AllOfSignOffObstacle on SignOffObstacle{accountId accountName actorId actorName at code keyId}' as Document<ReadSignOffJudgesAnswer, { identifier: string;}>;

export type ReadOwnTermsAnswer = { desks: ({ id: string; name: string; ownRole: DeskRole | null; })[]; viewer: { plan: { options: string[]; optionCredits: AllOfOptionPrice[]; kinds: { kind: MediaKind; credits: number; }[]; }; }; };
export const READ_OWN_TERMS = 'query ReadOwnTerms{desks{id name ownRole}viewer{plan{options optionCredits{...AllOfOptionPrice}kinds{kind credits}}}}fragment AllOfOptionPrice on OptionPrice{credits option}' as Document<ReadOwnTermsAnswer, {}>;

export type ReadPublicUrlAnswer = { appliance: { publicUrl: string; }; };
export const READ_PUBLIC_URL = 'query ReadPublicUrl{appliance{publicUrl}}' as Document<ReadPublicUrlAnswer, {}>;

export type SubmitMediaAnswer = { submitMedia: { classification: ListedRecord | null; userErrors: Fault[]; }; };
export const SUBMIT_MEDIA = 'fragment Fault on UserError{code reason field message metadata}fragment ListedRecord on Classification{identifier kind status outcome headline{word title{...AllOfSentence}}errors name refId hash createdAt resultUrl cancelled deskId accountId accountName forceClassification signOff{state}progress{...AllOfProgress}...on ImageClassification{isNsfw}...on VideoClassification{isNsfw}verdict{heuristic confidence classification models}assessment{state probability reasons{code side said{...AllOfSentence}}}provenance{readings{state unchanged signedBy{answer name}inTime{answer}who{answer}}}}mutation SubmitMedia($input:SubmitMediaInput!){submitMedia(input:$input){classification{...ListedRecord}userErrors{...Fault}}}fragment AllOfProgress on Progress{done step total}fragment AllOfSentence on Sentence{en it}' as Document<SubmitMediaAnswer, { input: SubmitMediaInput;}>;

export type ReadSheetRecordAnswer = { classification: { status: Status; errors: string; resultUrl: string; forceClassification: Label | null; verdict: { classification: Label; } | null; assessment: { state: AssessmentState; probability: number | null; reasons: { sentence: string; }[]; } | null; provenance: { readings: { state: ReadingState; unchanged: UnchangedAnswer; signedBy: { answer: SignerAnswer; name: string; }; inTime: { answer: TimeAnswer; }; who: { answer: WhoAnswer; }; } | null; } | null; }; };
export const READ_SHEET_RECORD = 'query ReadSheetRecord($identifier:ID!){classification(identifier:$identifier){status errors resultUrl forceClassification verdict{classification}assessment{state probability reasons{sentence}}provenance{readings{state unchanged signedBy{answer name}inTime{answer}who{answer}}}}}' as Document<ReadSheetRecordAnswer, { identifier: string;}>;

export type ReadListedAnswer = { classification: ListedRecord; };
export const READ_LISTED = 'fragment ListedRecord on Classification{identifier kind status outcome headline{word title{...AllOfSentence}}errors name refId hash createdAt resultUrl cancelled deskId accountId accountName forceClassification signOff{state}progress{...AllOfProgress}...on ImageClassification{isNsfw}...on VideoClassification{isNsfw}verdict{heuristic confidence classification models}assessment{state probability reasons{code side said{...AllOfSentence}}}provenance{readings{state unchanged signedBy{answer name}inTime{answer}who{answer}}}}query ReadListed($identifier:ID!){classification(identifier:$identifier){...ListedRecord}}fragment AllOfProgress on Progress{done step total}fragment AllOfSentence on Sentence{en it}' as Document<ReadListedAnswer, { identifier: string;}>;

export type ReadTrustListsAnswer = { trustLists: AllOfTrustList[]; };
export const READ_TRUST_LISTS = 'query ReadTrustLists{trustLists{...AllOfTrustList}}fragment AllOfTrustList on TrustList{authorities date frozen id isOn isUpdated kind name origin products sha256 singleCertificates source terms}' as Document<ReadTrustListsAnswer, {}>;

export type ReadTrustListDiffAnswer = { trustListDiff: AllOfTrustListDiff; };
export const READ_TRUST_LIST_DIFF = 'query ReadTrustListDiff($id:ID!$content:String!){trustListDiff(id:$id content:$content){...AllOfTrustListDiff}}fragment AllOfTrustListDiff on TrustListDiff{added addedCount droppedSigners id removed removedCount sha256}' as Document<ReadTrustListDiffAnswer, { id: string; content: string;}>;

export type FindTrustedCertificatesAnswer = { trustedCertificates: AllOfTrustedCertificate[]; };
export const FIND_TRUSTED_CERTIFICATES = 'query FindTrustedCertificates($text:String!){trustedCertificates(text:$text){...AllOfTrustedCertificate}}fragment AllOfTrustedCertificate on TrustedCertificate{fingerprint isSingle issuer list subject validFrom validUntil}' as Document<FindTrustedCertificatesAnswer, { text: string;}>;

export type AddTrustListAnswer = { addTrustList: { userErrors: Fault[]; }; };
export const ADD_TRUST_LIST = 'fragment Fault on UserError{code reason field message metadata}mutation AddTrustList($content:String!$date:String!$id:ID!$kind:TrustListKind!$name:String$single:Boolean$source:String$terms:String){addTrustList(content:$content date:$date id:$id kind:$kind name:$name single:$single source:$source terms:$terms){userErrors{...Fault}}}' as Document<AddTrustListAnswer, { content: string; date: string; id: string; kind: TrustListKind; name?: string | null | undefined; single?: boolean | null | undefined; source?: string | null | undefined; terms?: string | null | undefined;}>;

export type UpdateTrustListAnswer = { updateTrustList: { userErrors: Fault[]; }; };
export const UPDATE_TRUST_LIST = 'fragment Fault on UserError{code reason field message metadata}mutation UpdateTrustList($content:String!$date:String$dropSeen:Boolean$id:ID!){updateTrustList(content:$content date:$date dropSeen:$dropSeen id:$id){userErrors{...Fault}}}' as Document<UpdateTrustListAnswer, { content: string; date?: string | null | undefined; dropSeen?: boolean | null | undefined; id: string;}>;

export type SetTrustListOnAnswer = { setTrustListOn: { userErrors: Fault[]; }; };
export const SET_TRUST_LIST_ON = 'fragment Fault on UserError{code reason field message metadata}mutation SetTrustListOn($id:ID!$isOn:Boolean!){setTrustListOn(id:$id isOn:$isOn){userErrors{...Fault}}}' as Document<SetTrustListOnAnswer, { id: string; isOn: boolean;}>;

export type RemoveTrustListAnswer = { removeTrustList: { userErrors: Fault[]; }; };
export const REMOVE_TRUST_LIST = 'fragment Fault on UserError{code reason field message metadata}mutation RemoveTrustList($id:ID!){removeTrustList(id:$id){userErrors{...Fault}}}' as Document<RemoveTrustListAnswer, { id: string;}>;

export type ReadTrustRecheckAnswer = { trustRecheck: { state: RecheckState; startedAt: string; endedAt: string | null; looked: number; total: number; unchanged: number; changed: number; mediaGone: number; unreadable: number; }; };
export const READ_TRUST_RECHECK = 'query ReadTrustRecheck{trustRecheck{state startedAt endedAt looked total unchanged changed mediaGone unreadable}}' as Document<ReadTrustRecheckAnswer, {}>;

export type ReadRecheckedRecordsAnswer = { recheckedRecords: { nodes: { sequence: number; identifier: string; name: string; outcome: RecheckOutcome; reason: string; at: string; changes: AllOfAnswerChange[]; listsBefore: AllOfAppliedTrustList[]; listsAfter: AllOfAppliedTrustList[]; }[]; pageInfo: PageInfo; }; };
export const READ_RECHECKED_RECORDS = 'fragment PageInfo on PageInfo{hasNextPage endCursor}query ReadRecheckedRecords($after:String){recheckedRecords(first:25 after:$after){nodes{sequence identifier name outcome reason at changes{...AllOfAnswerChange}listsBefore{...AllOfAppliedTrustList}listsAfter{...AllOfAppliedTrustList}}pageInfo{...PageInfo}}}fragment AllOfAnswerChange on AnswerChange{after answer before}fragment AllOfAppliedTrustList on AppliedTrustList{id sha256}' as Document<ReadRecheckedRecordsAnswer, { after?: string | null | undefined;}>;

export type StartTrustRecheckAnswer = { startTrustRecheck: { userErrors: Fault[]; }; };
export const START_TRUST_RECHECK = 'fragment Fault on UserError{code reason field message metadata}mutation StartTrustRecheck{startTrustRecheck{userErrors{...Fault}}}' as Document<StartTrustRecheckAnswer, {}>;

export type CancelTrustRecheckAnswer = { cancelTrustRecheck: { userErrors: Fault[]; }; };
export const CANCEL_TRUST_RECHECK = 'fragment Fault on UserError{code reason field message metadata}mutation CancelTrustRecheck{cancelTrustRecheck{userErrors{...Fault}}}' as Document<CancelTrustRecheckAnswer, {}>;
