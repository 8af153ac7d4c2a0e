/** A run directory that somebody else made, found on a host. */
export type ForeignRun = {
  run_id: string;
  /** Its absolute path on the host. */
  directory: string;
  name: string;
  attempts: number;
  /** When its newest attempt wrote last, by the host's clock; 0 when that can't be told. */
  written_secs: number;
};

/** What a search for run directories below a folder found; `partial` when there was too much to look at. */
export type ForeignRuns = { folder: string; runs: ForeignRun[]; partial: boolean };
