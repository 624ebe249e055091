export interface FetchOptions {
  /** The function that sends the requests; by default the global fetch. */
  fetch?: typeof globalThis.fetch;
  /** Further arguments of `deadhead prune`, such as `["--state", "sessions.db", "--preset", "break-even"]`. */
  args?: string[];
  /** The name of a request's session, for a state file; without one, the body's own user, cache key or beginning names it. */
  session?: (input: string | URL | Request, init?: RequestInit) => string | undefined;
  /** The name of a request's workload, one of the configuration. */
  workload?: (input: string | URL | Request, init?: RequestInit) => string | undefined;
  /** The program; by default that of the package for this platform, or what DEADHEAD_BINARY names. */
  program?: string;
  /** Reject a request that cannot be pruned, instead of sending it unchanged. */
  strict?: boolean;
  /** Milliseconds that the program may take to answer. */
  timeout?: number;
  /** Called with the error of a request that is sent unpruned; by default a process warning. */
  onError?: (error: Error) => void;
}

export interface PruningFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Number of requests by outcome. */
  readonly counts: { pruned: number; unchanged: number; skipped: number; failed: number };
  /** Ends the process of the program. */
  close(): void;
}

/** A fetch that prunes the bodies of requests that carry a transcript. */
export function createFetch(options?: FetchOptions): PruningFetch;
