/** What every command gets: the options that all share, and how to ask and answer. */
import type { Command } from 'commander';
import type { Filter } from '../api/types.js';
import { Client } from './client.js';
import type { Io } from './io.js';
import { type Column, type Format, type RenderOptions, renderJson, renderRows } from './render.js';

export interface GlobalOptions {
  readonly remote?: string;
  readonly format: Format;
  readonly headings: boolean;
  readonly tenant?: string;
  readonly pool?: string;
  /** Seconds. */
  readonly watch?: number;
}

export interface Context {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly client: Client;
  readonly filter: Filter;
  readonly render: RenderOptions;
  /** Milliseconds since 1970, for ages. */
  now(): number;
  print(text: string): void;
  rows<T>(rows: readonly T[], columns: readonly Column<T>[]): void;
  /** For what has no rows: the text, or the value as JSON where that was asked for. */
  value(value: unknown, text: () => string): void;
}

export function createContext(command: Command, io: Io, now: () => number): Context {
  const options = command.optsWithGlobals<GlobalOptions>();
  const remote = options.remote ?? io.env.HPNN_API;
  const colors = io.isTty && (io.env.NO_COLOR ?? '') === '' && options.format === 'table';
  const render: RenderOptions = { format: options.format, headings: options.headings, colors };
  const print = (text: string): void => {
    io.stdout.write(text);
  };
  let client: Client | undefined;
  return {
    io,
    options,
    // Made when used, so that commands that need no agent don't stumble over a wrong HPNN_API.
    get client() {
      client ??= new Client(remote, io.env.HPNN_TOKEN);
      return client;
    },
    filter: {
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
      ...(options.pool === undefined ? {} : { pool: options.pool }),
    },
    render,
    now,
    print,
    rows: (rows, columns) => print(renderRows(rows, columns, render)),
    value: (value, text) => print(render.format === 'json' ? renderJson(value) : text()),
  };
}
