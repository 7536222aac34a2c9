/** The world around a command; replaced in tests. */
export interface Io {
  /** A `write` that returns false asks to wait for `drain`. */
  readonly stdout: {
    write(data: string | Uint8Array): unknown;
    once?(event: 'drain', listener: () => void): unknown;
  };
  readonly stderr: { write(data: string | Uint8Array): unknown };
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal: colours, and `--watch` redraws. */
  readonly isTty: boolean;
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** Ends the command with a status and, on standard error, a message. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}

export const EXIT = {
  ok: 0,
  /** Wrong usage, or the agent can't be reached. */
  usage: 1,
  /** The agent, or the switch behind it, said no; or `diff-flows` found a difference. */
  refused: 2,
  /** `--wait`: not confirmed in time. */
  late: 65,
} as const;
