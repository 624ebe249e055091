export interface FetchOptions {
  /** What sends the requests; by default the global fetch. */
  fetch?: typeof globalThis.fetch;
  /** Further arguments of `deadhead prune`, such as `["--state", "sessions.db", "--preset", "break-even"]`. */
  args?: string[];
  /** The program; by default that of the package for this platform, or what DEADHEAD_BINARY names. */
  program?: string;
  /** Reject what cannot be pruned, instead of sending it as it came. */
  strict?: boolean;
  /** Milliseconds that an answer of the program may take. */
  timeout?: number;
  /** Takes what went wrong where a request goes out unpruned; by default a warning of the process. */
  onError?: (error: Error) => void;
}

export interface PruningFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Requests by what became of their body. */
  readonly counts: { pruned: number; unchanged: number; skipped: number; failed: number };
  /** Ends the process behind it. */
  close(): void;
}

/** A fetch that prunes the bodies of requests that carry a transcript. */
export function createFetch(options?: FetchOptions): PruningFetch;
