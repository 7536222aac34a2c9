import type { CaptureRequest } from '../../api/types.js';
import {
  CaptureBusyError,
  type CaptureNames,
  CLASSES,
  captureStream,
  type SessionOptions,
} from '../../capture/index.js';
import { nearest } from '../../model/nearest.js';
import { TraceNames } from '../../trace/index.js';
import type { AgentParts } from '../parts.js';
import { RefusedError } from '../read-model.js';
import { VERSION } from '../version.js';

/** What a capture may cost where nothing else is asked for. */
const DEFAULTS = { rate: 10_000, maxBytes: 2 ** 30, durationSeconds: 3600 };

/** Begins a capture that ends with `signal` or at a limit. @throws RefusedError at once */
export function captureOf(
  parts: AgentParts,
  request: CaptureRequest,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const { node, intents, captures } = parts;
  const classes = wantedClasses(request);
  const tenant = request.tenant === undefined ? undefined : intents.tenants.get(request.tenant);
  if (request.tenant !== undefined && tenant === undefined)
    throw new RefusedError('not-found', `there is no tenant ${request.tenant}`);
  const session = open(parts, {
    rate: request.rate ?? DEFAULTS.rate,
    ...(classes === undefined ? {} : { classes }),
  });
  if (signal.aborted) session.close();
  return captureStream(
    session,
    {
      format: request.format,
      frames: request.frames,
      maxBytes: request.maxBytes ?? DEFAULTS.maxBytes,
      durationMs: (request.durationSeconds ?? DEFAULTS.durationSeconds) * 1000,
      names: namesOf(parts),
      about: `hpnn-agent ${VERSION} on ${node.node}, ${captures.running} running`,
      ...(tenant === undefined ? {} : { tenant: tenant.id }),
    },
    signal,
  );
}

function wantedClasses({ classes }: CaptureRequest): ReadonlySet<string> | undefined {
  const wrong = classes?.find((word) => !CLASSES.includes(word));
  if (wrong !== undefined) {
    const guess = nearest(wrong, CLASSES);
    throw new RefusedError(
      'invalid',
      `there is no class of messages "${wrong}"`,
      guess === undefined ? `one of ${CLASSES.join(', ')}` : `did you mean ${guess}?`,
    );
  }
  return classes && new Set(classes);
}

function open({ captures }: AgentParts, options: SessionOptions) {
  try {
    return captures.open(options);
  } catch (error) {
    if (error instanceof CaptureBusyError)
      throw new RefusedError('unavailable', error.message, 'end one of them');
    throw error;
  }
}

/** Looked up anew after each reload. */
function namesOf({ intents, facts }: AgentParts): CaptureNames {
  let generation = -1;
  let names: TraceNames;
  return {
    subject: ({ tenant, owner }) => {
      if (generation !== intents.generation) {
        names = new TraceNames([...intents.tenants.values()], intents.provider, facts.ports);
        generation = intents.generation;
      }
      const name = tenant === 0 ? 'node' : names.tenantName(tenant);
      return owner === undefined || tenant === 0 ? name : `${name} ${names.owner(owner)}`;
    },
  };
}
