/** `ofp-print` brings the whole codec with it: loaded only when it is asked for. */
import type { Io } from './io.js';

interface OfpPrintModule {
  /** Returns the exit status. */
  ofpPrint(args: readonly string[], io: Io): Promise<number> | number;
}

export async function loadOfpPrint(): Promise<OfpPrintModule> {
  const module: string = './ofp-print.js';
  return (await import(module)) as OfpPrintModule;
}
