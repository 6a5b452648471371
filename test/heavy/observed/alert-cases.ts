/** What makes each alert of docs/alerts.yml fire, and what ends it; minutes, one sample a minute, in promtool's notation. */

export interface AlertCase {
  alert: string;
  /** Series and their values. */
  series: Readonly<Record<string, string>>;
  /** It fires then. */
  firesAt: number;
  /** It no longer does. */
  endsAt: number;
}

export const ALERT_CASES: readonly AlertCase[] = [
  { alert: 'AssayDown', series: { 'up{job="assay"}': '1x2 0x5 1x9' }, firesAt: 6, endsAt: 12 },
  { alert: 'AssayDiskLow', series: { assay_disk_free_bytes: '4e9+0x15 6e9+0x9' }, firesAt: 12, endsAt: 20 },
  {
    alert: 'AssayRecordsReaderOld',
    series: { assay_records_oldest_reader_seconds: '61+60x15 0x9' },
    firesAt: 12,
    endsAt: 20,
  },
  { alert: 'AssayBackupTooOld', series: { assay_backup_too_old: '1x70 0x9' }, firesAt: 65, endsAt: 75 },
  {
    alert: 'AssayBackupFailed',
    series: { 'assay_backups_total{outcome="failed"}': '0x2 1x400' },
    firesAt: 5,
    endsAt: 390,
  },
  {
    alert: 'AssayQueueHeld',
    series: { 'assay_queue_held{reason="no-worker"}': '1x10 0x9', assay_queue_depth: '3x20' },
    firesAt: 7,
    endsAt: 15,
  },
  {
    alert: 'AssayDamagedRecords',
    series: { 'assay_damaged_records_total{table="analyses"}': '0x2 1x90' },
    firesAt: 5,
    endsAt: 80,
  },
  {
    alert: 'AssayPictureIndexDamaged',
    series: { assay_picture_index_damaged: '1x15 0x9' },
    firesAt: 7,
    endsAt: 20,
  },
  {
    alert: 'AssayRefusedRecords',
    series: { assay_refused_records_total: '0x2 1x90' },
    firesAt: 5,
    endsAt: 80,
  },
  {
    alert: 'AssayChangedOriginals',
    series: { assay_changed_originals_total: '0x2 1x90' },
    firesAt: 5,
    endsAt: 80,
  },
  { alert: 'AssayQueueGrows', series: { assay_queue_depth: '501+10x60 0x20' }, firesAt: 40, endsAt: 70 },
  {
    alert: 'AssayQueueOld',
    series: { assay_queue_oldest_seconds: '1801+60x15 0x9' },
    firesAt: 12,
    endsAt: 20,
  },
  {
    alert: 'AssayProviderFallback',
    series: { assay_provider_fallbacks: '1x15 0x9', 'assay_models{provider="none"}': '0x30' },
    firesAt: 12,
    endsAt: 20,
  },
  {
    alert: 'AssayProviderFallback',
    series: { assay_provider_fallbacks: '0x30', 'assay_models{provider="none"}': '1x15 0x9' },
    firesAt: 12,
    endsAt: 20,
  },
  {
    alert: 'AssayQueueStuck',
    series: { assay_queue_depth: '2x20', assay_analyses_running: '0x10 1x9' },
    firesAt: 7,
    endsAt: 15,
  },
  {
    alert: 'AssayWorkersDie',
    series: { 'assay_worker_deaths_total{worker="decode"}': '0x2 12x60' },
    firesAt: 5,
    endsAt: 30,
  },
  {
    alert: 'AssayAnalysesFail',
    series: {
      'assay_analyses_total{kind="image",state="errored"}': '0+1x60 60x60',
      'assay_analyses_total{kind="image",state="done"}': '0+4x120',
    },
    firesAt: 45,
    endsAt: 110,
  },
  {
    alert: 'AssayWebhooksFail',
    series: { 'assay_webhook_attempts_total{outcome="unreachable"}': '0+120x70 8400x60' },
    firesAt: 50,
    endsAt: 120,
  },
  {
    alert: 'AssayWebhooksOverdue',
    series: { assay_webhook_overdue_seconds: '601+60x15 0x9' },
    firesAt: 12,
    endsAt: 20,
  },
  {
    alert: 'AssayWatchedFolderIdle',
    series: { 'assay_watch_folders{state="away"}': '1x20 0x9' },
    firesAt: 18,
    endsAt: 25,
  },
];
