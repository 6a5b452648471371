/** The daemon's figures in Prometheus form; one registry, made once in compose-core.ts. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export class Metrics {
  readonly registry = new Registry();
  readonly requests = this.#counter('assay_requests_total', 'Calls by facade, method and outcome', [
    'facade',
    'method',
    'code',
  ]);
  readonly uploadedBytes = this.#counter('assay_uploaded_bytes_total', 'Bytes received in uploads', []);
  readonly analyses = this.#counter('assay_analyses_total', 'Analyses by how they ended', ['kind', 'state']);
  readonly verdicts = this.#counter('assay_verdicts_total', 'Assessment states of ended analyses', [
    'kind',
    'state',
  ]);
  readonly workerDeaths = this.#counter('assay_worker_deaths_total', 'Worker processes that ended unasked', [
    'worker',
  ]);
  readonly webhookAttempts = this.#counter('assay_webhook_attempts_total', 'Webhooks sent, by their end', [
    'outcome',
  ]);
  readonly watchedFiles = this.#counter(
    'assay_watched_files_total',
    'Files of watched folders, by their state',
    ['state'],
  );
  readonly watchFolders = this.#gauge('assay_watch_folders', 'Watched folders by what they do', ['state']);
  readonly backups = this.#counter('assay_backups_total', 'Backups by how they ended', ['outcome']);
  readonly backupLastGood = this.#gauge(
    'assay_backup_last_good_timestamp_seconds',
    'When the last backup was made that read back whole; 0 = none known',
    [],
  );
  readonly backupTooOld = this.#gauge(
    'assay_backup_too_old',
    '1 where the last good backup is older than backup.age_hours_max',
    [],
  );
  readonly diskFree = this.#gauge(
    'assay_disk_free_bytes',
    'Bytes that the disk of the data folder takes',
    [],
  );
  readonly recordsBytes = this.#gauge('assay_records_bytes', 'Size of the file that holds the records', []);
  readonly recordsFree = this.#gauge(
    'assay_records_free_ratio',
    'Share of the file of the records that is free pages, 0 to 1',
    [],
  );
  readonly oldestReaderSeconds = this.#gauge(
    'assay_records_oldest_reader_seconds',
    'How long the oldest reader has been behind the last transaction; meanwhile no freed page is used again',
    [],
  );
  readonly oldestReaderTransactions = this.#gauge(
    'assay_records_oldest_reader_transactions',
    'Transactions committed since the snapshot of the oldest reader',
    [],
  );
  readonly damagedRecords = this.#counter(
    'assay_damaged_records_total',
    'Records refused by their checksum',
    ['table'],
  );
  readonly refusedRecords = this.#counter(
    'assay_refused_records_total',
    'Records that lists leave out since they cannot be built, or hold a figure that is no number; each counts once',
    [],
  );
  readonly custodyEntries = this.#gauge('assay_custody_entries', 'Entries of the custody log', []);
  readonly custodyFaults = this.#gauge(
    'assay_custody_faults',
    'Faults that the last verification of the custody log found',
    [],
  );
  readonly timestamps = this.#counter(
    'assay_timestamps_total',
    'Questions to timestamp authorities, by what came of them: stamped, retried, failed',
    ['outcome'],
  );
  readonly recheckedManifests = this.#counter(
    'assay_rechecked_manifests_total',
    'Stored manifests that were read anew under other trust lists, by what became of them: unchanged, changed, media_gone, unreadable',
    ['outcome'],
  );
  readonly changedOriginals = this.#counter(
    'assay_changed_originals_total',
    'Stored originals that were found to be other bytes than were submitted',
    [],
  );
  readonly queueDepth = this.#gauge('assay_queue_depth', 'Analyses waiting', []);
  readonly queueOldest = this.#gauge(
    'assay_queue_oldest_seconds',
    'How long the oldest waiting analysis has waited',
    [],
  );
  readonly queueHeld = this.#gauge(
    'assay_queue_held',
    '1 while no place begins what waits, by reason: no-broker, no-worker, not-ready',
    ['reason'],
  );
  readonly models = this.#gauge('assay_models', 'Models by what runs them; none = out of service', [
    'provider',
  ]);
  readonly workers = this.#gauge(
    'assay_workers',
    'Workers on other boxes by state: here, draining, drained, refused, away',
    ['state'],
  );
  readonly residentModels = this.#gauge('assay_models_resident', 'Models that are in memory now', []);
  readonly providerFallbacks = this.#gauge(
    'assay_provider_fallbacks',
    'Models that run on another provider than the first of inference.providers',
    [],
  );
  readonly webhookOverdue = this.#gauge(
    'assay_webhook_overdue_seconds',
    'How long the delivery that is due longest has been due',
    [],
  );
  readonly videoDecoders = this.#counter(
    'assay_videos_decoded_total',
    'Videos by what was to decode them and what did',
    ['wanted', 'used'],
  );
  readonly running = this.#gauge('assay_analyses_running', 'Analyses in work', []);
  readonly watchers = this.#gauge('assay_watchers', 'Open watch streams and subscriptions', []);
  readonly stepSeconds = this.#histogram('assay_step_seconds', 'Time of one step of an analysis', ['step']);
  readonly pictureSearchSeconds = this.#histogram(
    'assay_picture_search_seconds',
    'Time of one search among the pictures that are kept, without the decoding of what is searched with',
    [],
  );
  readonly pictureIndexPictures = this.#gauge(
    'assay_picture_index_pictures',
    'Pictures and frames that are found by a part',
    [],
  );
  readonly pictureIndexBytes = this.#gauge(
    'assay_picture_index_bytes',
    'Bytes of the index of their parts by where they are: memory, file',
    ['place'],
  );
  readonly pictureIndexDamaged = this.#gauge(
    'assay_picture_index_damaged',
    'Rows that are damaged and left out of the index',
    [],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#beginAtZero();
  }

  /** Counters that alerts wait for begin at 0: Prometheus sees no increase in a series that appears with 1. */
  #beginAtZero(): void {
    for (const outcome of ['good', 'failed']) this.backups.inc({ outcome }, 0);
    for (const worker of ['decode', 'inference']) this.workerDeaths.inc({ worker }, 0);
    for (const outcome of ['delivered', 'refused', 'unreachable', 'dropped'])
      this.webhookAttempts.inc({ outcome }, 0);
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge(name: string, help: string, labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    return new Histogram({ name, help, labelNames, registers: [this.registry] });
  }
}
