import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

/** Modules whose level can be set while running (`lbctl log MODULE:LEVEL`). */
export const LOG_MODULES = [
  'agent',
  'config',
  'openflow',
  'sync',
  'neighbours',
  'health',
  'packetio',
  'api',
] as const;
export type LogModule = (typeof LOG_MODULES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One logger per module. A pino child doesn't follow its parent's level, so each is kept and set by itself. */
export class Loggers {
  private readonly byModule = new Map<LogModule, Logger>();

  constructor(level: LogLevel, destination?: pino.DestinationStream) {
    const root = pino(
      { base: null, timestamp: pino.stdTimeFunctions.isoTime },
      destination ?? pino.destination(1),
    );
    for (const module of LOG_MODULES) this.byModule.set(module, root.child({ module }, { level }));
  }

  get(module: LogModule): Logger {
    return this.byModule.get(module)!;
  }

  levels(): Record<string, string> {
    return Object.fromEntries([...this.byModule].map(([module, logger]) => [module, logger.level]));
  }

  /** Sets a module's level, or all with `any`, as ovs-appctl's vlog/set. Returns why it can't be, if so. */
  setLevel(module: string, level: string): string | undefined {
    if (!LOG_LEVELS.includes(level as LogLevel)) {
      return `unknown level "${level}"; one of ${LOG_LEVELS.join(', ')}`;
    }
    if (module === 'any') {
      for (const logger of this.byModule.values()) logger.level = level;
      return undefined;
    }
    const logger = this.byModule.get(module as LogModule);
    if (logger === undefined) return `unknown module "${module}"; one of any, ${LOG_MODULES.join(', ')}`;
    logger.level = level;
    return undefined;
  }
}
